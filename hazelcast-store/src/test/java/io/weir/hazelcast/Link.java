package io.weir.hazelcast;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * How messages fare.
 *
 * @param delayNanos the least that one takes
 * @param jitterNanos the most that it takes longer than that
 * @param lostPerMille calls that never arrive, and answers as well
 * @param twicePerMille calls that run twice, the second time up to 17 s later
 * @param strayPerMille calls that are overtaken by later ones
 * @param longestStrayNanos how long they take at most
 * @param backupLostPerMille writes that the backup never gets
 * @param backupTimeoutNanos when a caller is told nonetheless
 * @param callTimeoutNanos when Hazelcast gives up on a call of which it hears nothing
 * @param newsDelayNanos when callers hear that a partition has another owner
 */
record Link(
        long delayNanos,
        long jitterNanos,
        int lostPerMille,
        int twicePerMille,
        int strayPerMille,
        long longestStrayNanos,
        int backupLostPerMille,
        long backupTimeoutNanos,
        long callTimeoutNanos,
        long newsDelayNanos) {

    private static final long LONGEST_HEALTHY_JITTER_NANOS = 2_000_000;

    /** Nothing goes wrong, and a round trip takes {@code roundTrip}, backups aside. */
    static Link perfect(Duration roundTrip) {
        long backupTimeout = Duration.ofSeconds(1).toNanos();
        return new Link(roundTrip.toNanos() / 2, 0, 0, 0, 0, 1, 0, backupTimeout, 10 * backupTimeout, 0);
    }

    /** Late, but never lost nor repeated. */
    static Link slow(SplittableRandom random) {
        Link perfect = perfect(Duration.ofNanos(random.nextLong(100_000, 4_000_000)));
        return perfect.jittering(random.nextLong(LONGEST_HEALTHY_JITTER_NANOS));
    }

    /** Everything that may happen without a bound being any wider. */
    static Link bad(SplittableRandom random) {
        return new Link(
                random.nextLong(50_000, 4_000_000),
                random.nextLong(1L << random.nextInt(10, 25)), // up to 33 ms
                Math.max(0, random.nextInt(-20, 40)),
                random.nextInt(200),
                Math.max(0, random.nextInt(-20, 60)),
                random.nextLong(1_000_000, 4_000_000_000L),
                0,
                random.nextLong(200_000_000, 5_000_000_000L),
                random.nextLong(2_000_000_000L, 12_000_000_000L),
                random.nextLong(100_000_000));
    }

    /** Everything that may happen without a bound being any wider, and more of what makes nodes and owners disagree. */
    static Link losing(SplittableRandom random) {
        return new Link(
                random.nextLong(50_000, 30_000_000),
                random.nextLong(1L << random.nextInt(10, 25)), // up to 33 ms
                random.nextInt(300),
                random.nextInt(200),
                random.nextInt(300),
                random.nextLong(20_000_000, 900_000_000),
                0,
                random.nextLong(200_000_000, 2_000_000_000L),
                random.nextLong(1_000_000_000L, 5_000_000_000L),
                random.nextLong(100_000_000));
    }

    private Link jittering(long nanos) {
        return new Link(
                delayNanos,
                nanos,
                lostPerMille,
                twicePerMille,
                strayPerMille,
                longestStrayNanos,
                backupLostPerMille,
                backupTimeoutNanos,
                callTimeoutNanos,
                newsDelayNanos);
    }

    /** The same, and backups miss some writes. */
    Link losingBackups(int perMille) {
        return new Link(
                delayNanos,
                jitterNanos,
                lostPerMille,
                twicePerMille,
                strayPerMille,
                longestStrayNanos,
                perMille,
                backupTimeoutNanos,
                callTimeoutNanos,
                newsDelayNanos);
    }

    boolean isHealthy() {
        return lostPerMille == 0
                && strayPerMille == 0
                && backupLostPerMille == 0
                && jitterNanos <= LONGEST_HEALTHY_JITTER_NANOS;
    }
}
