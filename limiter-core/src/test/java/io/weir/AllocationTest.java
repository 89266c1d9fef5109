package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.PackedBucket;
import io.weir.algorithm.Verdict;
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

    @Test
    void allocatesADecisionForAGrantAndNothingElse() {
        Bandwidth never = Bandwidth.of(1_000_000_000_000L, 1_000_000, Duration.ofSeconds(1));

        assertAllocatesADecision(new Measured(never, false, true));
    }

    @Test
    void allocatesADecisionForADenialAndNothingElse() {
        Bandwidth dry = Bandwidth.of(1, 1, Duration.ofDays(365));

        assertAllocatesADecision(new Measured(dry, false, false));
    }

    @Test
    void allocatesADecisionForAGrantOfAnExactLimitAndNothingElse() {
        Bandwidth never = Bandwidth.of(1_000_000_000_000L, 1_000_000, Duration.ofSeconds(1));

        assertAllocatesADecision(new Measured(never, true, true));
    }

    /** Keys are watched by samples, which allocate: but not in a round in which none is drawn. */
    @Test
    void allocatesNothingElseForAKeyThatIsWatchedUnlessItIsDrawn() {
        Bandwidth never = Bandwidth.of(1_000_000_000_000L, 1_000_000, Duration.ofSeconds(1));

        assertAllocatesADecision(new Measured(never, false, true).watchingKeys());
    }

    /** Which is looked up then, in a map in which it is not. */
    @Test
    void allocatesNothingElseForAKeyWhileAnotherHasNumbersOfItsOwn() {
        Bandwidth never = Bandwidth.of(1_000_000_000_000L, 1_000_000, Duration.ofSeconds(1));

        assertAllocatesADecision(new Measured(never, false, true, "another"));
    }

    private static void assertAllocatesADecision(Measured measured) {
        long bare = measured.bareBytes();

        assertThat(bare).isBetween(40L, 100L);
        assertThat(measured.leastBytes(bare)).isEqualTo(bare);
    }

    /** Calls for one key. */
    static final class Measured {
        private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        private static final int CALLS = 2_000;

        /** Enough for one that nothing disturbs, such as a class that is loaded. */
        private static final int BARE_ROUNDS = 100;

        /** Enough for the last compiler, also on a machine that is busy with other things. */
        private static final int MOST_ROUNDS = 5_000;

        private final Limit limit;
        private final boolean granted;
        private boolean watchingKeys;

        /** Where decisions escape to. */
        private volatile @Nullable Decision last;

        Measured(Bandwidth bandwidth, boolean exact, boolean granted, String... overridden) {
            Limit.Builder builder =
                    Limit.named("api", FailurePolicy.DENY).bandwidth(bandwidth).deadline(Duration.ofMinutes(1));
            for (String key : overridden) {
                builder.override(key, bandwidth);
            }
            this.limit = (exact ? builder.exact() : builder).build();
            this.granted = granted;
        }

        Measured watchingKeys() {
            watchingKeys = true;
            return this;
        }

        /** Bytes of a decision that is made of nothing. */
        long bareBytes() {
            Asked asked = new Asked(limit, null);
            PackedBucket packed = PackedBucket.of(limit.rule(), 0, 0).orElseThrow();
            long least = Long.MAX_VALUE;
            for (int round = 0; round < BARE_ROUNDS; round++) {
                long before = THREADS.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < CALLS; i++) {
                    last = Decision.packed(asked, "client", 1, Verdict.GRANTED, packed, 0, 0, 0);
                }
                least = Math.min(least, (THREADS.getCurrentThreadAllocatedBytes() - before) / CALLS);
            }
            return least;
        }

        /**
         * Bytes for one call, in the round that took the fewest: those before it were not compiled, or disturbed.
         *
         * @param enough not to look for fewer
         */
        long leastBytes(long enough) {
            long least = Long.MAX_VALUE;
            Weir.Builder builder = Weir.over(LocalStore.create()).limit(limit);
            if (watchingKeys) {
                builder.watchKeys(KeyWatch.create());
            }
            try (Weir weir = builder.build()) {
                Limiter limiter = weir.limiter("api");
                limiter.tryAcquire("client");
                for (int round = 0; round < MOST_ROUNDS && least > enough; round++) {
                    long before = THREADS.getCurrentThreadAllocatedBytes();
                    for (int i = 0; i < CALLS; i++) {
                        last = limiter.tryAcquire("client");
                    }
                    least = Math.min(least, (THREADS.getCurrentThreadAllocatedBytes() - before) / CALLS);
                }
            }
            return last != null && last.granted() == granted ? least : Long.MAX_VALUE;
        }
    }
}
