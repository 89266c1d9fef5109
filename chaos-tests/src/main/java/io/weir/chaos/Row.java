package io.weir.chaos;

import io.weir.FailurePolicy;
import io.weir.algorithm.Bandwidth;
import io.weir.store.contract.HistoryChecker;
import java.time.Duration;

/**
 * Rows of the table of bounds: what a cluster may grant at most in any span {@code t}. {@code R} is the refill, {@code B} the
 * capacity, {@code N} the members, {@code m} of them cut off.
 *
 * <p>Under {@link FailurePolicy#LOCAL_SHARE} every row has its share terms: {@code max(1, B/N)} of each node that answered
 * by its share, and {@code R} for as long as any did. Under the others those are none.
 */
enum Row {
    /** {@code B + R*t}, by a clock that may be fast by one part in ten thousand. */
    HEALTHY {
        @Override
        HistoryChecker withoutShares(Bandwidth bandwidth, Duration ahead) {
            return HistoryChecker.of(bandwidth).plusRefillOf(Duration.ofMillis(10));
        }
    },

    /** {@code B + R*(t+d)}: another member decides, whose clock is ahead by {@code d}. */
    OWNER_CHANGES {
        @Override
        HistoryChecker withoutShares(Bandwidth bandwidth, Duration ahead) {
            return HistoryChecker.of(bandwidth).plusRefillOf(OWNERS_APART.plus(ahead.abs()));
        }
    },

    /** One more {@code B + R*w}, {@code w} until the member that slept knows that it did. */
    OWNER_PAUSED {
        @Override
        HistoryChecker withoutShares(Bandwidth bandwidth, Duration ahead) {
            return OWNER_CHANGES
                    .withoutShares(bandwidth, ahead)
                    .plusPermits(bandwidth.capacity())
                    .plusRefillOf(UNTIL_IT_KNOWS);
        }
    },

    /** One more {@code B}: nobody is left who knows what was granted. */
    ALL_COPIES_LOST {
        @Override
        HistoryChecker withoutShares(Bandwidth bandwidth, Duration ahead) {
            return OWNER_CHANGES.withoutShares(bandwidth, ahead).plusPermits(bandwidth.capacity());
        }
    },

    /**
     * Before it is detected {@code R*D*(N-1)/N} and one more {@code B}; then, under {@link FailurePolicy#LOCAL_SHARE}, {@code
     * B + R*t*(1 + m/N) + m*max(1, B/N)}. With strict partitions {@code B + R*t}, where {@code B >= N}.
     */
    PARTITION {
        @Override
        HistoryChecker withoutShares(Bandwidth bandwidth, Duration ahead) {
            return OWNER_CHANGES
                    .withoutShares(bandwidth, ahead)
                    .plusPermits(bandwidth.capacity())
                    .plusRefillOf(DETECTED_AFTER.multipliedBy(MEMBERS - 1).dividedBy(MEMBERS));
        }

        @Override
        HistoryChecker bound(Workload workload, Duration ahead, Duration shared) {
            HistoryChecker bound = withoutShares(workload.bandwidth(), ahead);
            return workload.strict() ? bound : withSharesOfThoseCutOff(bound, workload);
        }
    },

    /** {@code B + R*t*(1 + m/N) + m*max(1, B/N)}: the members are all there, and decide for everybody else. */
    CLIENT_CUT_OFF {
        @Override
        HistoryChecker withoutShares(Bandwidth bandwidth, Duration ahead) {
            return HEALTHY.withoutShares(bandwidth, ahead);
        }

        @Override
        HistoryChecker bound(Workload workload, Duration ahead, Duration shared) {
            return withSharesOfThoseCutOff(withoutShares(workload.bandwidth(), ahead), workload);
        }
    };

    /** {@code N}. */
    static final int MEMBERS = 3;

    /** {@code m}. */
    static final int CUT_OFF = 1;

    /** {@code D}: a member that is silent is removed after 5 s, and that is looked for each second. */
    static final Duration DETECTED_AFTER = Duration.ofSeconds(6);

    /** {@code w}: a member that was away for long knows at its first call, or at the next of the ticks that go on meanwhile. */
    static final Duration UNTIL_IT_KNOWS = Duration.ofMillis(100);

    /** {@code d}, of members whose clocks nobody has turned. */
    static final Duration OWNERS_APART = Duration.ofMillis(200);

    abstract HistoryChecker withoutShares(Bandwidth bandwidth, Duration ahead);

    /**
     * The bound of each key.
     *
     * @param ahead by how much one member's clock was turned
     * @param shared for how long some node answered by its share
     */
    HistoryChecker bound(Workload workload, Duration ahead, Duration shared) {
        Bandwidth bandwidth = workload.bandwidth();
        HistoryChecker bound = withoutShares(bandwidth, ahead);
        return workload.policy() != FailurePolicy.LOCAL_SHARE || shared.isZero()
                ? bound
                : bound.plusPermits(MEMBERS * shareOf(bandwidth)).plusRefillOf(shared);
    }

    private static HistoryChecker withSharesOfThoseCutOff(HistoryChecker bound, Workload workload) {
        if (workload.policy() != FailurePolicy.LOCAL_SHARE) {
            return bound;
        }
        Bandwidth bandwidth = bound.bandwidth();
        Bandwidth more = Bandwidth.of(
                bandwidth.capacity(),
                bandwidth.refill() * (MEMBERS + CUT_OFF),
                bandwidth.period().multipliedBy(MEMBERS));
        // The same time of refill is of more refill now.
        Duration extra = bound.extraRefill().multipliedBy(MEMBERS).dividedBy(MEMBERS + CUT_OFF);
        return new HistoryChecker(more, bound.extraPermits() + CUT_OFF * shareOf(bandwidth), extra);
    }

    /** {@code max(1, B/N)}, rounded up. */
    static long shareOf(Bandwidth bandwidth) {
        return Math.max(1, (bandwidth.capacity() + MEMBERS - 1) / MEMBERS);
    }
}
