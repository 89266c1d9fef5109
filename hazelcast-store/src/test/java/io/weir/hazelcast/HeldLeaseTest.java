package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HeldLeaseTest {

    private static final long TTL = 1_000;

    private final HeldLease lease = new HeldLease();

    private static LeaseReport report(long kept) {
        return new LeaseReport(kept, 0, 0, TTL, 0);
    }

    private void lend(long permits, long sentNanos) {
        lease.apply(report(0), new LeaseAnswer(0, permits, true), sentNanos);
    }

    @Test
    void isSpentUntilItIsUsedUpOrExpires() {
        lend(5, 100);

        assertThat(lease.spend(3, 100)).isTrue();
        assertThat(lease.spend(3, 100)).as("two are left").isFalse();
        assertThat(lease.spend(1, 100 + TTL - 1)).isTrue();
        assertThat(lease.spend(1, 100 + TTL))
                .as("counted from the sending (L5)")
                .isFalse();
        assertThat(lease.held()).isEqualTo(1);
    }

    @Test
    void losesWhatWasNotAcceptedBeforeItGainsWhatWasLent() {
        lend(10, 100);
        long kept = lease.report();
        lease.spend(2, 100);

        assertThat(lease.apply(report(kept), new LeaseAnswer(4, 3, true), 200)).isEqualTo(6);
        assertThat(lease.held()).isEqualTo(10 - 2 - 6 + 3);
    }

    @Test
    void cannotLoseWhatHasBeenSpentMeanwhile() {
        lend(10, 100);
        long kept = lease.report();
        lease.spend(9, 100);

        assertThat(lease.apply(report(kept), new LeaseAnswer(0, 5, true), 200)).isEqualTo(1);
        assertThat(lease.held()).isEqualTo(5);
        assertThat(lease.takeSpent()).isEqualTo(9);
    }

    @Test
    void isNotProlongedByAnAnswerThatDoesNotSaySo() {
        lend(10, 100);
        lease.apply(report(lease.report()), new LeaseAnswer(10, 0, false), 900);

        assertThat(lease.spend(1, 100 + TTL)).isFalse();
    }

    /** Threads spend without a lock while one thread reports, loses, gains and gives back: each permit ends once. */
    @Test
    void eachPermitIsSpentOrReturnedOrLostAndNeverTwo() throws Exception {
        int spenders = 4;
        long most = 1_000_000;
        ExecutorService threads = Executors.newFixedThreadPool(spenders);
        CyclicBarrier begin = new CyclicBarrier(spenders + 1);
        List<Future<Long>> spending = new ArrayList<>();
        for (int i = 0; i < spenders; i++) {
            spending.add(threads.submit(() -> {
                begin.await();
                long spent = 0;
                while (!Thread.currentThread().isInterrupted()) {
                    spent += lease.spend(1, 0) ? 1 : 0;
                }
                return spent;
            }));
        }
        long lent = 0;
        long gone = 0;
        long counted = 0;
        long collisions = 0;
        begin.await(10, TimeUnit.SECONDS);
        for (long i = 0; i < most && collisions < 1_000; i++) {
            long kept = lease.report();
            long accepted = i % 3 == 0 ? kept / 2 : kept;
            for (int spin = 0; spin < 100; spin++) {
                Thread.onSpinWait(); // as long as a call is under way
            }
            collisions += lease.held() < kept ? 1 : 0; // somebody spent in between
            gone += lease.apply(report(kept), new LeaseAnswer(accepted, 1_000, true), 0);
            lent += 1_000;
            gone += i % 5 == 0 ? lease.drain() : 0;
            counted += lease.takeSpent();
        }
        threads.shutdownNow();
        long spent = 0;
        for (Future<Long> each : spending) {
            spent += each.get(10, TimeUnit.SECONDS);
        }
        counted += lease.takeSpent();

        assertThat(collisions).as("threads that met").isPositive();
        assertThat(spent + gone + lease.held()).isEqualTo(lent);
        assertThat(counted).isEqualTo(spent);
    }
}
