package io.weir.chaos;

import io.weir.algorithm.Bandwidth;
import io.weir.store.Source;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What one limit's answers were before, during and after a fault. Instants are of {@link System#nanoTime}.
 *
 * @param limit the bandwidth of each of its keys
 * @param keys how many there are
 * @param outcomes in any order
 * @param faultBegan when the fault began
 * @param faultEnded when it ended; the same if it was of a moment
 */
record Course(Bandwidth limit, int keys, List<Outcome> outcomes, long faultBegan, long faultEnded) {

    private static final long HALF_SECOND = Duration.ofMillis(500).toNanos();
    private static final long TENTH = Duration.ofMillis(100).toNanos();

    /** Fewer answers of the policy in half a second are of a busy machine, and no outage. */
    private static final int MANY = 20;

    /** From the fault's beginning to the first answer of the policy that did not wait for the deadline. */
    Optional<Duration> detected(Duration deadline) {
        return outcomes.stream()
                .filter(each -> each.isByPolicy()
                        && each.startNanos() >= faultBegan
                        && each.endNanos() - each.startNanos() < deadline.toNanos() / 2)
                .map(each -> each.endNanos() - faultBegan)
                .min(Long::compare)
                .map(Duration::ofNanos);
    }

    /** From the fault's end to the end of the last half second in which the policy answered often. */
    Optional<Duration> recovered() {
        int[] answers = new int[1 + (int) (Math.max(0, lastEnd() - faultEnded) / HALF_SECOND)];
        outcomes.stream()
                .filter(each -> each.isByPolicy() && each.endNanos() >= faultEnded)
                .forEach(each -> answers[(int) ((each.endNanos() - faultEnded) / HALF_SECOND)]++);
        for (int i = answers.length - 1; i >= 0; i--) {
            if (answers[i] >= MANY) {
                return Optional.of(Duration.ofNanos((i + 1) * HALF_SECOND));
            }
        }
        return Optional.empty();
    }

    /** For how long some node answered by its share: as many tenths of a second as had such an answer. */
    Duration shared() {
        return Duration.ofNanos(TENTH
                * outcomes.stream()
                        .filter(each -> each.source() == Source.SHARE)
                        .mapToLong(each -> each.endNanos() / TENTH)
                        .distinct()
                        .count());
    }

    /** Whether the owner granted anything that was asked for after an instant. */
    boolean isGrantedByOwnerAfter(long nanos) {
        return outcomes.stream().anyMatch(each -> each.granted() && !each.isByPolicy() && each.startNanos() > nanos);
    }

    /** Whether there was any answer to what was asked after an instant, granted or by the policy. */
    boolean isAnsweredAfter(long nanos) {
        return outcomes.stream().anyMatch(each -> each.startNanos() > nanos);
    }

    /**
     * How much of its share one process granted, from its first answer by the share to the fault's end: 1 is all of its
     * refill. Empty if that was for less than two seconds.
     */
    Optional<Double> shareGrantedBy(int process, int nodes) {
        List<Outcome> shares = outcomes.stream()
                .filter(each -> each.process() == process
                        && each.source() == Source.SHARE
                        && each.startNanos() >= faultBegan
                        && each.endNanos() <= faultEnded)
                .toList();
        long began = shares.stream().mapToLong(Outcome::endNanos).min().orElse(faultEnded);
        double seconds = (faultEnded - began) / 1e9;
        if (seconds < 2) {
            return Optional.empty();
        }
        long granted = shares.stream()
                .filter(Outcome::granted)
                .mapToLong(Outcome::permits)
                .sum();
        double perSecond = (double) limit.refill() / limit.period().toNanos() * 1e9 * keys / nodes;
        return Optional.of(granted / (perSecond * seconds));
    }

    private long lastEnd() {
        return outcomes.stream().mapToLong(Outcome::endNanos).max().orElse(faultEnded);
    }
}
