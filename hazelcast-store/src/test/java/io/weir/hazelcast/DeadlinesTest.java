package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Request;
import io.weir.store.NanoClock;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DeadlinesTest {

    private long now;
    private final Deadlines deadlines = new Deadlines(() -> now);
    private final List<String> expired = new ArrayList<>();

    @Test
    void expiresWhoStillWaitsAtItsDeadlineAndNotBefore() {
        watch("short", 10);
        watch("long", 20);
        now = 9;
        assertThat(deadlines.sweep()).isTrue();
        assertThat(expired).isEmpty();

        now = 10;
        assertThat(deadlines.sweep()).isTrue();
        assertThat(expired).containsExactly("short");

        now = 20;
        assertThat(deadlines.sweep()).isFalse();
        assertThat(expired).containsExactly("short", "long");
    }

    @Test
    void forgetsWhoWasAnswered() {
        Waiter answered = watch("answered", 10);
        watch("waiting", 10);
        answered.answer(List.of());
        now = 10;

        assertThat(deadlines.sweep()).isFalse();
        assertThat(expired).containsExactly("waiting");
    }

    @Test
    void oneLengthDoesNotHoldUpAnother() {
        watch("patient", 1_000_000);
        now = 5;
        watch("brief", 10);
        now = 15;
        deadlines.sweep();

        assertThat(expired).containsExactly("brief");
    }

    @Test
    void goesOnAfterOneThatCannotBeHandled() {
        Waiter broken = new Waiter.Parked(List.of(new Request.Take(1)), 10);
        deadlines.watch(broken, 10, late -> {
            throw new OutOfMemoryError("planted");
        });
        watch("next", 10);
        now = 10;

        assertThat(deadlines.sweep()).isFalse();
        assertThat(broken.isWaiting()).isFalse();
        assertThat(expired).containsExactly("next");
    }

    @Test
    @Timeout(30)
    void itsThreadWakesForANewcomerAfterItHasBeenIdle() throws InterruptedException {
        CountDownLatch gone = new CountDownLatch(2);
        NanoClock real = NanoClock.monotonic();
        try (Deadlines running = new Deadlines(real)) {
            running.start("deadlines-test");
            for (int i = 0; i < 2; i++) {
                Waiter waiter = new Waiter.Parked(List.of(new Request.Take(1)), real.nanoTime() + 1_000_000);
                running.watch(waiter, 1_000_000, late -> {
                    late.fail(new IllegalStateException("late"));
                    gone.countDown();
                });
                while (gone.getCount() > 1 - i) {
                    Thread.onSpinWait();
                }
                while (i == 0 && !running.isIdle()) {
                    Thread.onSpinWait();
                }
            }
            assertThat(gone.await(1, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Whoever awaits a future does not refer to the waiter that completes it, and a call that was given up does not either. */
    @Test
    void expiresWhoNobodyElseRefersTo() {
        WeakReference<Waiter> waiter = new WeakReference<>(watch("forgotten", 10));
        System.gc();
        assertThat(waiter.get()).isNotNull();
        now = 10;

        assertThat(deadlines.sweep()).isFalse();
        assertThat(expired).containsExactly("forgotten");
    }

    @Test
    void oneThatWaitsLongKeepsNobodyWhoWasAnswered() {
        watch("waiting", 10);
        WeakReference<Waiter> answered = new WeakReference<>(watch("answered", 10));
        Objects.requireNonNull(answered.get()).answer(List.of());
        System.gc();

        assertThat(answered.get()).isNull();
        assertThat(deadlines.sweep()).isTrue();
    }

    @Test
    void oneThatWaitsLongHoldsNoPlacesOfThoseBehindIt() {
        watch("waiting", 3_600_000_000_000L);
        for (int i = 0; i < 1_000; i++) {
            watch("answered", 3_600_000_000_000L).answer(List.of());
        }
        assertThat(deadlines.places()).isEqualTo(1_001);
        now = 1_000_000_000;

        assertThat(deadlines.sweep()).isTrue();
        assertThat(deadlines.places()).isEqualTo(1);
    }

    private Waiter watch(String name, long lengthNanos) {
        Waiter waiter = new Waiter.Parked(List.of(new Request.Take(1)), now + lengthNanos);
        deadlines.watch(waiter, lengthNanos, late -> {
            late.fail(new IllegalStateException("late"));
            expired.add(name);
        });
        return waiter;
    }
}
