package io.weir.chaos;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * What is asked for throughout a fault, by every process of the cluster and for more than the limit allows.
 *
 * @param hot whether all ask for one key, which the member holds that the fault is about; or else for many
 * @param policy who answers where the owner does not
 * @param leased whether permits may be lent
 * @param strict whether members that can be reached count with their part of the limit while others are missing
 */
record Workload(boolean hot, FailurePolicy policy, boolean leased, boolean strict) {

    static final Duration DEADLINE = Limit.DEFAULT_DEADLINE;

    private static final int WARM_UP_CALLS = 200;
    private static final int MANY = 8;
    private static final int THREADS = 4;
    private static final Duration PAUSE = Duration.ofMillis(4);

    Workload(boolean hot, FailurePolicy policy, boolean leased) {
        this(hot, policy, leased, false);
    }

    /** Under each policy, with and without leases; and many keys. */
    static List<Workload> all() {
        return List.of(
                new Workload(true, FailurePolicy.LOCAL_SHARE, true),
                new Workload(true, FailurePolicy.LOCAL_SHARE, false),
                new Workload(true, FailurePolicy.LOCAL_SHARE, false, true),
                new Workload(true, FailurePolicy.DENY, true),
                new Workload(true, FailurePolicy.DENY, false),
                new Workload(true, FailurePolicy.GRANT, true),
                new Workload(false, FailurePolicy.LOCAL_SHARE, false),
                new Workload(false, FailurePolicy.DENY, true));
    }

    /** The few that differ most. */
    static List<Workload> few() {
        return List.of(
                new Workload(true, FailurePolicy.LOCAL_SHARE, true),
                new Workload(true, FailurePolicy.DENY, false),
                new Workload(false, FailurePolicy.LOCAL_SHARE, false));
    }

    Bandwidth bandwidth() {
        return hot ? Bandwidth.of(100, 200, Duration.ofSeconds(1)) : Bandwidth.of(30, 30, Duration.ofSeconds(1));
    }

    int keys() {
        return hot ? 1 : MANY;
    }

    Limit limit() {
        Limit.Builder limit = Limit.named(
                        toString().replace(' ', '-').toLowerCase(Locale.ROOT).replace('_', '-'), policy)
                .bandwidth(bandwidth())
                .deadline(DEADLINE);
        if (!leased) {
            limit.exact();
        }
        return strict ? limit.strictPartitions().build() : limit.build();
    }

    /** Some calls for a key that is not judged. */
    Load warmUp() {
        return Load.ofCalls(WARM_UP_CALLS, limit().name(), "warm-up");
    }

    Load load(List<String> keys) {
        return Load.lasting(Duration.ofMinutes(10), limit().name(), keys.toArray(String[]::new))
                .threads(THREADS)
                .pause(PAUSE);
    }

    @Override
    public String toString() {
        return (hot ? "hot" : "many") + " " + policy + " " + (leased ? "leased" : "exact") + (strict ? " strict" : "");
    }
}
