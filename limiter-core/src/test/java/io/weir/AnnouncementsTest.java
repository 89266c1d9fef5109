package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.LimitHealth.State;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class AnnouncementsTest {

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<String> told = new ArrayList<>();
    private final Announcements announcements =
            new Announcements(health -> told.add(health.limit() + " " + health.state()), tasks::add);

    private static LimitHealth health(String limit, State state) {
        return new LimitHealth(limit, state, Duration.ZERO, FailurePolicy.DENY, null, null, 0, Duration.ZERO);
    }

    private void runTasks() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    @Test
    void tellsOfChangesOnly() {
        announcements.look(health("a", State.EXACT));
        runTasks();
        assertThat(told).isEmpty();

        for (State state : List.of(State.DEGRADED, State.DEGRADED, State.EXACT, State.EXACT)) {
            announcements.look(health("a", state));
            runTasks();
        }
        assertThat(told).containsExactly("a DEGRADED", "a EXACT");
    }

    @Test
    void keepsOneChangeOfEachLimitAndOneTaskForAListenerThatIsBusy() {
        for (int i = 0; i < 1_000; i++) {
            announcements.look(health("a", i % 2 == 0 ? State.DEGRADED : State.EXACT));
            announcements.look(health("b", i % 2 == 0 ? State.EXACT : State.DEGRADED));
        }

        assertThat(tasks).hasSize(1);
        runTasks();
        assertThat(told).containsExactly("a EXACT", "b DEGRADED");
    }

    @Test
    void goesOnAfterAListenerThatThrowsAndLogsThatOnce() {
        LogLines log = new LogLines();
        Announcements throwing = new Announcements(
                health -> {
                    told.add(health.limit());
                    throw Sneaky.thrown(new IOException("no such page")); // as Kotlin and Scala may
                },
                tasks::add);
        for (int i = 0; i < 100; i++) {
            throwing.look(health("a", i % 2 == 0 ? State.DEGRADED : State.EXACT));
            runTasks();
        }
        log.close();

        assertThat(told).hasSize(100);
        assertThat(log.lines()).hasSize(1).first().asString().contains("listener");
    }

    @Test
    void triesAgainWithTheNextChangeIfThereWasNoThreadToBeHad() {
        List<Runnable> accepted = new ArrayList<>();
        boolean[] refusing = {true};
        Announcements refused = new Announcements(health -> told.add(health.limit()), task -> {
            if (refusing[0]) {
                throw new RejectedExecutionException("none left");
            }
            accepted.add(task);
        });
        try {
            refused.look(health("a", State.DEGRADED));
        } catch (RejectedExecutionException e) {
            told.add("refused");
        }
        refusing[0] = false;
        refused.look(health("b", State.DEGRADED));
        accepted.forEach(Runnable::run);

        assertThat(told).containsExactly("refused", "a", "b");
    }

    @Test
    void tellsNothingOnceClosed() {
        announcements.look(health("a", State.DEGRADED));
        announcements.close();
        announcements.look(health("b", State.DEGRADED));
        runTasks();

        assertThat(told).isEmpty();
    }

    /** A listener that blocks holds up nobody, and is told on a daemon thread. */
    @Test
    @Timeout(60)
    void hasAThreadOfItsOwn() throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();
        try (Announcements own = Announcements.to(health -> {
            threads.add(Thread.currentThread());
            blocked.countDown();
            awaitUninterruptibly(release);
        })) {
            own.look(health("a", State.DEGRADED));
            blocked.await();
            own.look(health("b", State.DEGRADED)); // comes back though the listener blocks
            release.countDown();

            Thread first = threads.poll(30, TimeUnit.SECONDS);
            assertThat(first).isNotNull().isNotSameAs(Thread.currentThread());
            assertThat(first.isDaemon()).isTrue();
            assertThat(first.getName()).isEqualTo("weir-listener");
            assertThat(threads.poll(30, TimeUnit.SECONDS)).isSameAs(first);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
