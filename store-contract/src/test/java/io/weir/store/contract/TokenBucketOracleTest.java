package io.weir.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.BucketState;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.TokenBucket;
import io.weir.algorithm.Transition;
import io.weir.algorithm.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Holds {@link Rule} on {@link TokenBucket} to the {@link ExactBucket}: two million random decisions, each compared. {@code
 * -Dweir.oracle.keys=20000} makes them ten million.
 */
class TokenBucketOracleTest {

    private static final int KEYS = Integer.getInteger("weir.oracle.keys", 4_000);
    private static final int DECISIONS_PER_KEY = 500;

    @Test
    void everyDecisionEqualsTheOracle() {
        long seed = Seed.of(TokenBucketOracleTest.class);
        Map<Verdict, Long> verdicts = IntStream.range(0, KEYS)
                .parallel()
                .mapToObj(key -> new Key(seed + key))
                .map(Key::compare)
                .reduce(Map.of(), TokenBucketOracleTest::sum);

        // Agreement means little if all were denied.
        long decisions = verdicts.values().stream().mapToLong(Long::longValue).sum();
        assertThat(decisions).isEqualTo((long) KEYS * DECISIONS_PER_KEY);
        assertThat(verdicts.get(Verdict.GRANTED)).isGreaterThan(decisions / 4);
        assertThat(verdicts.get(Verdict.DENIED)).isGreaterThan(decisions / 10);
        assertThat(verdicts.get(Verdict.NEVER)).isGreaterThan(decisions / 100);
    }

    private static Map<Verdict, Long> sum(Map<Verdict, Long> some, Map<Verdict, Long> others) {
        Map<Verdict, Long> sum = new EnumMap<>(Verdict.class);
        for (Verdict verdict : Verdict.values()) {
            sum.put(verdict, some.getOrDefault(verdict, 0L) + others.getOrDefault(verdict, 0L));
        }
        return sum;
    }

    /** One key's life: requests, give-backs and changes of its rule, on a clock that stands, runs, leaps and steps back. */
    private static final class Key {

        private final long seed;
        private final SplittableRandom random;
        private final Map<Verdict, Long> verdicts = new EnumMap<>(Verdict.class);
        private Rule rule;
        private State state;
        private ExactBucket oracle;
        private long nowNanos;

        Key(long seed) {
            this.seed = seed;
            random = new SplittableRandom(seed);
            rule = new Rule(2, randomBucket());
            nowNanos = random.nextBoolean() ? 0 : random.nextLong();
            state = random.nextInt(4) == 0
                    ? randomState()
                    : rule.take(null, 0, nowNanos).state();
            oracle = ExactBucket.of((BucketState) state);
        }

        Map<Verdict, Long> compare() {
            for (int i = 0; i < DECISIONS_PER_KEY; i++) {
                nowNanos = randomInstant();
                Rule asked = random.nextInt(50) == 0 ? randomRule() : rule;
                long permits = randomPermits();
                boolean givesBack = permits > 0 && random.nextInt(10) == 0;
                Transition actual =
                        givesBack ? asked.giveBack(state, permits, nowNanos) : asked.take(state, permits, nowNanos);
                Verdict expected =
                        givesBack ? oracle.giveBack(asked, permits, nowNanos) : oracle.take(asked, permits, nowNanos);
                if (actual.verdict() != expected || !agrees(actual.state(), permits)) {
                    throw new AssertionError("replay as the first key with -Dweir.seed=" + seed + ": decision " + i
                            + ", "
                            + (givesBack ? "giving back " : "taking ") + permits + " at " + nowNanos + " ns under "
                            + asked + " made " + state + " into " + actual + ", but the oracle says " + expected
                            + " and " + describe(oracle, permits));
                }
                verdicts.merge(expected, 1L, Long::sum);
                if (actual.changed()) {
                    state = actual.state();
                    rule = state.rule();
                }
            }
            return verdicts;
        }

        private boolean agrees(State actual, long permits) {
            if (actual.atNanos() != oracle.atNanos() || !actual.rule().equals(oracle.rule())) {
                return false;
            }
            List<Bandwidth> bandwidths = actual.rule().algorithm().bandwidths();
            for (int i = 0; i < bandwidths.size(); i++) {
                long capacity = bandwidths.get(i).capacity();
                long wanted = Math.min(permits, capacity);
                if (actual.level(i) != oracle.remaining(i)
                        || actual.readyAtNanos(i, wanted) != oracle.readyAtNanos(i, wanted)
                        || actual.readyAtNanos(i, capacity) != oracle.readyAtNanos(i, capacity)) {
                    return false;
                }
            }
            return true;
        }

        private static String describe(ExactBucket oracle, long permits) {
            StringBuilder text = new StringBuilder("at " + oracle.atNanos() + " ns");
            List<Bandwidth> bandwidths = oracle.rule().algorithm().bandwidths();
            for (int i = 0; i < bandwidths.size(); i++) {
                long capacity = bandwidths.get(i).capacity();
                text.append(", ")
                        .append(bandwidths.get(i).name())
                        .append(" holds ")
                        .append(oracle.remaining(i))
                        .append(", ready at ")
                        .append(oracle.readyAtNanos(i, Math.min(permits, capacity)))
                        .append(", full at ")
                        .append(oracle.readyAtNanos(i, capacity));
            }
            return text.toString();
        }

        /** Often just when something becomes ready, or a nanosecond off (I3). */
        private long randomInstant() {
            int bandwidth = randomBandwidth();
            long capacity = capacity(bandwidth);
            return switch (random.nextInt(16)) {
                case 0 -> nowNanos;
                case 1, 2, 3 -> whenReady(bandwidth, random.nextLong(capacity) + 1, 0);
                case 4 -> whenReady(bandwidth, random.nextLong(capacity) + 1, -1);
                case 5 -> whenReady(bandwidth, capacity, random.nextInt(3) - 1);
                case 6 -> earlier(random.nextLong(Algorithm.STEP_BACK_TOLERANCE_NANOS));
                case 7 -> earlier(Algorithm.STEP_BACK_TOLERANCE_NANOS + random.nextInt(3) - 1);
                case 8 -> random.nextInt(10) == 0 ? later(nowNanos, magnitude(Long.MAX_VALUE)) : nowNanos;
                case 9 -> nowNanos > Long.MAX_VALUE / 2 ? earlier(magnitude(Long.MAX_VALUE)) : nowNanos;
                default -> later(nowNanos, magnitude(Duration.ofDays(1).toNanos()));
            };
        }

        private long whenReady(int bandwidth, long permits, int off) {
            long readyAtNanos = state.readyAtNanos(bandwidth, permits);
            return readyAtNanos == Long.MAX_VALUE ? nowNanos : later(readyAtNanos, off);
        }

        /** No clock runs for longer than a long of nanoseconds holds, so nor do the steps from the stored instant. */
        private long later(long instant, long nanos) {
            long sum = saturatedSum(instant, nanos);
            return state.atNanos() < 0 ? Math.min(sum, state.atNanos() + Long.MAX_VALUE) : sum;
        }

        private long earlier(long nanos) {
            return saturatedSum(state.atNanos(), -nanos);
        }

        private static long saturatedSum(long a, long b) {
            long sum = a + b;
            boolean overflowed = ((a ^ sum) & (b ^ sum)) < 0;
            return overflowed ? (a < 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : sum;
        }

        private long randomPermits() {
            int bandwidth = randomBandwidth();
            long capacity = capacity(bandwidth);
            long level = Math.max(0, state.level(bandwidth));
            return switch (random.nextInt(8)) {
                case 0 -> random.nextInt(4) == 0 ? 0 : 1;
                case 1 -> level;
                case 2 -> level + 1;
                case 3 -> random.nextInt(4) == 0 ? capacity + random.nextInt(2) : magnitude(capacity);
                case 4 -> random.nextInt(8) == 0 ? magnitude(Long.MAX_VALUE) : magnitude(capacity);
                default -> magnitude(level + 1);
            };
        }

        /** Mostly the one with the smallest capacity, since it decides most. */
        private int randomBandwidth() {
            int count = state.rule().algorithm().bandwidths().size();
            int bandwidth = random.nextInt(count);
            if (random.nextInt(4) > 0) {
                for (int i = 0; i < count; i++) {
                    bandwidth = capacity(i) < capacity(bandwidth) ? i : bandwidth;
                }
            }
            return bandwidth;
        }

        private long capacity(int bandwidth) {
            return state.rule().algorithm().bandwidths().get(bandwidth).capacity();
        }

        private Rule randomRule() {
            return switch (random.nextInt(5)) {
                case 0 -> new Rule(Math.max(1, rule.version() - 1), randomBucket());
                case 1 -> new Rule(rule.version(), randomBucket());
                case 2 -> new Rule(rule.version() + 1, rule.algorithm());
                default -> new Rule(rule.version() + 1, randomBucket());
            };
        }

        private TokenBucket randomBucket() {
            List<Bandwidth> bandwidths = new ArrayList<>();
            int first = random.nextInt(3);
            int count = random.nextInt(1, 5);
            for (int i = 0; i < count; i++) {
                bandwidths.add(new Bandwidth("b" + (first + i), randomCapacity(), randomRefill(), randomPeriod()));
            }
            return new TokenBucket(bandwidths);
        }

        private long randomCapacity() {
            return switch (random.nextInt(8)) {
                case 0 -> Bandwidth.MAX_PERMITS - random.nextInt(2);
                case 1 -> magnitude(Bandwidth.MAX_PERMITS);
                case 2, 3 -> random.nextLong(1, 10);
                default -> magnitude(1_000_000_000_000L);
            };
        }

        private long randomRefill() {
            return switch (random.nextInt(8)) {
                case 0 -> magnitude(Bandwidth.MAX_PERMITS);
                case 1 -> 1_000_000_000;
                case 2 -> 7_919;
                case 3 -> 2_147_483_647;
                case 4 -> magnitude(1_000_000_000);
                default -> random.nextLong(1, 100);
            };
        }

        private Duration randomPeriod() {
            return switch (random.nextInt(10)) {
                case 0 -> Duration.ofNanos(magnitude(Long.MAX_VALUE));
                case 1 -> Duration.ofNanos(Long.MAX_VALUE - random.nextInt(2));
                case 2 -> Duration.ofDays(365);
                case 3 -> Duration.ofDays(1);
                case 4 -> Duration.ofNanos(999_999_937);
                case 5 -> Duration.ofNanos(1);
                case 6 -> Duration.ofMinutes(1);
                default -> Duration.ofSeconds(1);
            };
        }

        /** Any state that a store may read back, in debt too. */
        private BucketState randomState() {
            List<Bandwidth> bandwidths = rule.algorithm().bandwidths();
            long[] levels = new long[2 * bandwidths.size()];
            for (int i = 0; i < bandwidths.size(); i++) {
                long debt = random.nextInt(4) == 0 ? BucketState.LOWEST_LEVEL : -magnitude(-BucketState.LOWEST_LEVEL);
                levels[2 * i] = random.nextBoolean()
                        ? debt
                        : random.nextLong(bandwidths.get(i).capacity());
            }
            return BucketState.restore(rule, nowNanos, levels);
        }

        /** From 1 to {@code most}, every order of magnitude as likely as the others. */
        private long magnitude(long most) {
            int bits = 64 - Long.numberOfLeadingZeros(most);
            return Math.min(most, (random.nextLong() >>> (64 - random.nextInt(1, bits + 1))) | 1);
        }
    }
}
