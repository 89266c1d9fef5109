package io.weir.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LoadShedderTest {

    private final LoadShedder two = LoadShedder.named("http").inFlight(2).build();

    @Test
    void turnsAwayWhatIsMoreThanMayBeInFlight() {
        Slot first = two.tryEnter();
        Slot second = two.tryEnter();

        assertThat(first.entered()).isTrue();
        assertThat(second.entered()).isTrue();
        assertThat(two.tryEnter().entered()).isFalse();
        assertThat(two.inFlight()).isEqualTo(2);
        assertThat(two.shed()).isEqualTo(1);

        second.close();
        assertThat(two.tryEnter().entered()).isTrue();
    }

    @Test
    void aSlotGoesBackOnce() {
        Slot first = two.tryEnter();
        two.tryEnter();
        first.close();
        first.close();

        assertThat(two.inFlight()).isEqualTo(1);
    }

    @Test
    void whatWasTurnedAwayGivesNothingBack() {
        two.tryEnter();
        two.tryEnter();
        two.tryEnter().close();

        assertThat(two.inFlight()).isEqualTo(2);
    }

    @Test
    void turnsAwayWhileAQueueIsTooLong() {
        AtomicInteger queued = new AtomicInteger(10);
        LoadShedder shedder = LoadShedder.named("http").queue(queued::get, 10).build();
        assertThat(shedder.tryEnter().entered()).isTrue();

        queued.set(11);
        assertThat(shedder.tryEnter().entered()).isFalse();
        assertThat(shedder.inFlight()).isEqualTo(1);

        queued.set(10);
        assertThat(shedder.tryEnter().entered()).isTrue();
        assertThat(shedder.shed()).isEqualTo(1);
    }

    @Test
    void aQueueThatCannotBeReadCountsAsShort() {
        LoadShedder shedder = LoadShedder.named("http")
                .inFlight(1)
                .queue(
                        () -> {
                            throw new IllegalStateException("gone");
                        },
                        0)
                .build();

        assertThat(shedder.tryEnter().entered()).isTrue();
        assertThat(shedder.tryEnter().entered()).as("still bounded").isFalse();
    }

    /** Never more inside than may be, and nobody is turned away for no reason: with as many places as threads, nobody is. */
    @Test
    void countsExactlyUnderConcurrency() throws Exception {
        int threads = 8;
        assertThat(mostInside(LoadShedder.named("tight").inFlight(3).build(), threads))
                .isBetween(1, 3);
        LoadShedder roomy = LoadShedder.named("roomy").inFlight(threads).build();
        mostInside(roomy, threads);
        assertThat(roomy.shed()).isZero();
    }

    private static int mostInside(LoadShedder shedder, int threads) throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(pool.submit(() -> {
                    for (int j = 0; j < 20_000; j++) {
                        try (Slot slot = shedder.tryEnter()) {
                            if (slot.entered()) {
                                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                                inside.decrementAndGet();
                            }
                        }
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(shedder.inFlight()).as("leaks no slot").isZero();
        return most.get();
    }

    /** In the round that took the fewest bytes: those before it were not compiled, or disturbed. */
    @Test
    void turnsAwayWithoutAnObject() {
        LoadShedder shedder = LoadShedder.named("http")
                .inFlight(1)
                .queue(() -> 0, 0)
                .retryAfter(Duration.ofSeconds(1))
                .build();
        shedder.tryEnter();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 1_000 && least > 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 1_000; i++) {
                shedder.tryEnter().close();
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }

        assertThat(least).isZero();
        assertThat(shedder.shed()).isPositive();
    }

    @Test
    void refusesWhatWouldShedNothingOrEverything() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LoadShedder.named("http").build())
                .withMessage(
                        "load shedder \"http\" has nothing to go by: say how much may be in flight with .inFlight(n),"
                                + " or queued with .queue(..)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LoadShedder.named("http").inFlight(0))
                .withMessage("inFlight of guard \"http\" must be at least 1 but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LoadShedder.named("http").queue(() -> 0, -1))
                .withMessage("queue of guard \"http\" must be allowed zero or more but -1 is given");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LoadShedder.named("http").retryAfter(Duration.ZERO))
                .withMessage("retryAfter of guard \"http\" must be more than zero and at most PT24H but is PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LoadShedder.named("a b"))
                .withMessage("guard name must be 1 to 64 of A-Z a-z 0-9 . _ - but is \"a b\"");
    }
}
