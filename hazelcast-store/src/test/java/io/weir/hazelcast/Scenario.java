package io.weir.hazelcast;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * What is simulated: the limit, the cluster, the callers, and how much goes wrong. All of it follows from a seed.
 *
 * @param embedded nodes that share their JVM with a member; the others are clients
 * @param bursts how often traffic comes, with silence in between
 * @param asking what callers ask for
 * @param heldUpPerMillion how often a node is held up where it reads its clock
 * @param hazards what the bounds table allows for
 */
record Scenario(
        long seed,
        int nodes,
        int embedded,
        int members,
        int keys,
        Rule rule,
        long requestsPerSecond,
        long burstNanos,
        long silenceNanos,
        int bursts,
        long deadlineNanos,
        Asking asking,
        double zipf,
        Link link,
        int heldUpPerMillion,
        Faults faults,
        Set<Hazard> hazards) {

    /** What callers ask for. */
    enum Asking {
        /** One permit. */
        ONE_PERMIT,
        /** Few permits, and then for a while just what is left. */
        FEW_PERMITS,
        /** Anything, several at once too. */
        ANYTHING
    }

    /** What makes a bound wider. */
    enum Hazard {
        /** Owners' clocks differ, and step. */
        CLOCKS_APART,
        /** Backups miss writes, and owners are lost together with their backups. */
        WRITES_LOST,
        /** The limit is changed, up and down, on one node after the other. */
        LIMIT_CHANGED
    }

    /**
     * How many of each.
     *
     * @param pauses of nodes and of members
     * @param kills of nodes and of members
     * @param closes of nodes
     * @param moves of partitions
     */
    record Faults(int pauses, int kills, int closes, int moves) {
        /** Whether nothing happens that an application does not do itself. */
        boolean areOrderly() {
            return pauses == 0 && kills == 0 && moves == 0;
        }

        static Faults some(SplittableRandom random) {
            return new Faults(few(random), few(random), few(random), few(random));
        }

        private static int few(SplittableRandom random) {
            return Math.max(0, random.nextInt(-2, 4));
        }
    }

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    /** Enough for several round trips of a link that is healthy. */
    private static final long LEAST_HEALTHY_DEADLINE_NANOS = SECOND / 10;

    private static final List<Rule> RULES = List.of(
            Rules.rule(10, 10, Duration.ofSeconds(1)),
            Rules.rule(100, 100, Duration.ofSeconds(1)),
            Rules.rule(40, 200, Duration.ofSeconds(1)),
            Rules.rule(5, 50, Duration.ofSeconds(1)),
            Rules.rule(1, 7, Duration.ofSeconds(1)),
            Rules.rule(100, 1, Duration.ofDays(1)),
            Rules.rule(60, 20, Duration.ofMinutes(1)),
            new Rule(
                    1,
                    new TokenBucket(List.of(
                            Bandwidth.of(20, 100, Duration.ofSeconds(1)).named("second"),
                            Bandwidth.of(150, 60, Duration.ofMinutes(1)).named("minute")))));

    /** Large enough for most requests to be answered from leases. */
    private static final List<Rule> LARGE_RULES = List.of(
            Rules.rule(200, 200, Duration.ofSeconds(1)),
            Rules.rule(500, 100, Duration.ofSeconds(1)),
            Rules.rule(2_000, 500, Duration.ofSeconds(1)),
            Rules.rule(1_000, 1, Duration.ofDays(1)),
            Rules.rule(240, 60, Duration.ofMinutes(1)),
            new Rule(
                    1,
                    new TokenBucket(List.of(
                            Bandwidth.of(200, 300, Duration.ofSeconds(1)).named("second"),
                            Bandwidth.of(240, 120, Duration.ofMinutes(1)).named("minute")))));

    /** A lease is looked at before it is idle, or after it has expired. */
    private static final List<Duration> LEASING_SILENCES =
            List.of(Duration.ofMillis(180), Duration.ofMillis(600), Duration.ofMillis(700));

    /** A scenario in which no bound is any wider than that of one bucket. */
    static Scenario exact(long seed) {
        return of(seed, EnumSet.noneOf(Hazard.class));
    }

    /** A scenario with one or several hazards. */
    static Scenario hazardous(long seed) {
        SplittableRandom random = new SplittableRandom(~seed);
        Set<Hazard> hazards = EnumSet.noneOf(Hazard.class);
        Hazard[] all = Hazard.values();
        do {
            hazards.add(all[random.nextInt(all.length)]);
        } while (random.nextInt(3) == 0);
        return of(seed, hazards);
    }

    private static Scenario of(long seed, Set<Hazard> hazards) {
        SplittableRandom random = new SplittableRandom(seed);
        return random.nextInt(3) == 0 ? leasing(seed, random, hazards) : any(seed, random, hazards);
    }

    /** Hot keys: leases run out, are renewed, lost, returned and left to expire in every order. */
    private static Scenario leasing(long seed, SplittableRandom random, Set<Hazard> hazards) {
        int nodes = random.nextInt(2, 5);
        int members = random.nextInt(2, 4);
        Link link = Link.losing(random);
        long silence =
                LEASING_SILENCES.get(random.nextInt(LEASING_SILENCES.size())).toNanos();
        return new Scenario(
                seed,
                nodes,
                random.nextInt(Math.min(nodes, members) + 1),
                members,
                1,
                LARGE_RULES.get(random.nextInt(LARGE_RULES.size())),
                random.nextLong(150, 1_200),
                random.nextLong(SECOND / 20, SECOND / 3),
                random.nextLong(silence - silence / 4, silence + silence / 4),
                random.nextInt(2, 7),
                random.nextBoolean() ? random.nextLong(SECOND / 50, SECOND / 5) : random.nextLong(SECOND / 5, SECOND),
                random.nextInt(4) == 0 ? Asking.ONE_PERMIT : Asking.FEW_PERMITS,
                random.nextInt(3) * 0.6,
                hazards.contains(Hazard.WRITES_LOST) ? link.losingBackups(300) : link,
                random.nextInt(4) != 0 ? 0 : 3_000,
                Faults.some(random),
                hazards);
    }

    private static Scenario any(long seed, SplittableRandom random, Set<Hazard> hazards) {
        int nodes = nodes(random);
        int members = random.nextInt(2, 5);
        int keys = random.nextInt(3) == 0 ? random.nextInt(2, 5) : 1;
        Rule rule = RULES.get(random.nextInt(RULES.size()));
        Bandwidth first = rule.algorithm().bandwidths().get(0);
        double refillPerSecond = 1.0 * first.refill() * SECOND / first.period().toNanos();
        double load = List.of(0.5, 0.95, 1.5, 5.0).get(random.nextInt(4));
        long perSecond = Math.round(Math.min(300, Math.max(60, refillPerSecond * load)));
        int bursts = random.nextInt(5) == 0 ? random.nextInt(2, 4) : 1;
        boolean calm = hazards.isEmpty() && random.nextInt(8) == 0;
        long deadline = random.nextInt(4) == 0
                ? random.nextLong(SECOND / 5, 4 * SECOND)
                : random.nextLong(SECOND / 50, SECOND / 5);
        Link link = calm ? Link.slow(random) : Link.bad(random);
        return new Scenario(
                seed,
                nodes,
                random.nextInt(Math.min(nodes, members) + 1),
                members,
                keys,
                rule,
                perSecond,
                random.nextLong(SECOND / 2, 2 * SECOND) / bursts,
                random.nextLong(20 * SECOND),
                bursts,
                calm ? Math.max(LEAST_HEALTHY_DEADLINE_NANOS, deadline) : deadline,
                random.nextInt(3) == 0 ? Asking.ANYTHING : Asking.ONE_PERMIT,
                random.nextInt(3) * 0.6,
                hazards.contains(Hazard.WRITES_LOST) ? link.losingBackups(300) : link,
                calm || random.nextInt(4) != 0 ? 0 : 3_000,
                calm ? new Faults(0, 0, random.nextInt(3), 0) : Faults.some(random),
                hazards);
    }

    private static int nodes(SplittableRandom random) {
        int dice = random.nextInt(1_000);
        if (dice == 0) {
            return 1_000;
        }
        return dice < 30 ? random.nextInt(6, 51) : random.nextInt(2, 6);
    }

    /** Whether every request must be answered. */
    boolean isHealthy() {
        return link.isHealthy()
                && deadlineNanos >= LEAST_HEALTHY_DEADLINE_NANOS
                && heldUpPerMillion == 0
                && faults.areOrderly()
                && hazards.isEmpty();
    }

    /** How long there is traffic. */
    long trafficNanos() {
        return bursts * (burstNanos + silenceNanos) - silenceNanos;
    }
}
