package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.weir.algorithm.Bandwidth;
import io.weir.store.LocalStore;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What a decision of the local store costs in bytes once its code is compiled: the decision, which its caller may keep, and
 * nothing beside it. That does not hang on what the compiler happens to inline.
 */
class AllocationTest {

    /** Measured: 88. A header, a few references, the five numbers of a balance, and what alignment adds. */
    private static final long A_DECISION = 96;

    @Test
    void allocatesADecisionForAGrantAndNothingElse() {
        Bandwidth never = Bandwidth.of(1_000_000_000_000L, 1_000_000, Duration.ofSeconds(1));

        assertThat(new Measured(never, true).leastBytes()).isBetween(1L, A_DECISION);
    }

    @Test
    void allocatesADecisionForADenialAndNothingElse() {
        Bandwidth dry = Bandwidth.of(1, 1, Duration.ofDays(365));

        assertThat(new Measured(dry, false).leastBytes()).isBetween(1L, A_DECISION);
    }

    /** Calls for one key. */
    static final class Measured {
        private static final int CALLS = 2_000;

        /** Enough for the last compiler, also on a machine that is busy with other things. */
        private static final int MOST_ROUNDS = 5_000;

        private final Bandwidth bandwidth;
        private final boolean granted;

        /** Where decisions escape to. */
        private @Nullable Decision last;

        Measured(Bandwidth bandwidth, boolean granted) {
            this.bandwidth = bandwidth;
            this.granted = granted;
        }

        /** Bytes for one call, in the round that took the fewest: those before it were not compiled, or disturbed. */
        long leastBytes() {
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            Limit limit = Limit.named("api", FailurePolicy.DENY)
                    .bandwidth(bandwidth)
                    .deadline(Duration.ofMinutes(1))
                    .build();
            long least = Long.MAX_VALUE;
            try (Weir weir = Weir.over(LocalStore.create()).limit(limit).build()) {
                Limiter limiter = weir.limiter("api");
                limiter.tryAcquire("client");
                for (int round = 0; round < MOST_ROUNDS && least > A_DECISION; round++) {
                    long before = threads.getCurrentThreadAllocatedBytes();
                    for (int i = 0; i < CALLS; i++) {
                        last = limiter.tryAcquire("client");
                    }
                    least = Math.min(least, (threads.getCurrentThreadAllocatedBytes() - before) / CALLS);
                }
            }
            return last != null && last.granted() == granted ? least : Long.MAX_VALUE;
        }
    }
}
