package io.weir.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithm.Kind;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.BucketState;
import io.weir.algorithm.QueueState;
import io.weir.algorithm.Rule;
import io.weir.algorithm.SlidingLog;
import io.weir.algorithm.State;
import io.weir.algorithm.Transition;
import io.weir.algorithm.Verdict;
import io.weir.algorithm.WindowState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Holds {@link Rule} on each algorithm but the token bucket, which has a test of its own, to its {@link Oracle}: random decisions,
 * each compared. {@code -Dweir.oracle.keys=2000} makes them a million for each.
 */
class AlgorithmsOracleTest {

    private static final int KEYS = Integer.getInteger("weir.oracle.keys", 200);
    private static final int DECISIONS_PER_KEY = 500;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "TOKEN_BUCKET")
    void everyDecisionEqualsTheOracle(Kind kind) {
        long seed = Seed.of(AlgorithmsOracleTest.class);
        Map<Verdict, Long> verdicts = IntStream.range(0, KEYS)
                .parallel()
                .mapToObj(key -> new Key(kind, seed + key))
                .map(Key::compare)
                .reduce(Map.of(), AlgorithmsOracleTest::sum);

        // Agreement means little if all were denied.
        long decisions = verdicts.values().stream().mapToLong(Long::longValue).sum();
        assertThat(decisions).isEqualTo((long) KEYS * DECISIONS_PER_KEY);
        assertThat(verdicts.get(Verdict.GRANTED)).isGreaterThan(decisions / 5);
        assertThat(verdicts.get(Verdict.DENIED)).isGreaterThan(decisions / 10);
        assertThat(verdicts.get(Verdict.NEVER)).isGreaterThan(decisions / 200);
    }

    private static Map<Verdict, Long> sum(Map<Verdict, Long> some, Map<Verdict, Long> others) {
        Map<Verdict, Long> sum = new EnumMap<>(Verdict.class);
        for (Verdict verdict : Verdict.values()) {
            sum.put(verdict, some.getOrDefault(verdict, 0L) + others.getOrDefault(verdict, 0L));
        }
        return sum;
    }

    /** One key's life: requests, give-backs, charges and changes of its rule, on a clock that runs, leaps and steps back. */
    private static final class Key {

        private final Kind kind;
        private final long seed;
        private final SplittableRandom random;
        private final Map<Verdict, Long> verdicts = new EnumMap<>(Verdict.class);
        private Rule rule;
        private State state;
        private final Oracle oracle;
        private long nowNanos;

        Key(Kind kind, long seed) {
            this.kind = kind;
            this.seed = seed;
            random = new SplittableRandom(seed);
            rule = new Rule(2, anyAlgorithm());
            // Where a leap does not fit a long any more, both saturate; but most of the time is spent far from there.
            nowNanos = random.nextBoolean() ? 0 : random.nextLong() / 4;
            state = rule.take(null, 0, nowNanos).state();
            oracle = Oracle.full(rule, nowNanos);
        }

        Map<Verdict, Long> compare() {
            for (int i = 0; i < DECISIONS_PER_KEY; i++) {
                nowNanos = anyInstant();
                Rule asked = random.nextInt(40) == 0 ? anyRule() : rule;
                long permits = anyPermits();
                int what = permits == 0 ? 9 : random.nextInt(10);
                State before = state;
                Transition actual = switch (what) {
                    case 0 -> asked.giveBack(state, permits, nowNanos);
                    case 1 -> asked.charge(state, permits, 0, nowNanos);
                    default -> asked.take(state, permits, nowNanos);
                };
                Verdict expected = switch (what) {
                    case 0 -> oracle.giveBack(asked, permits, nowNanos);
                    case 1 -> oracle.charge(asked, permits, nowNanos);
                    default -> oracle.take(asked, permits, nowNanos);
                };
                String differs = actual.verdict() == expected ? difference(actual.state(), permits) : "is " + expected;
                if (!differs.isEmpty()) {
                    throw new AssertionError("replay as the first key with -Dweir.seed=" + seed + ": decision " + i
                            + ", " + what + " of " + permits + " at " + nowNanos + " ns under " + asked + " made "
                            + before + " into " + actual + ", but by the oracle it " + differs);
                }
                verdicts.merge(expected, 1L, Long::sum);
                if (actual.changed()) {
                    state = actual.state();
                    rule = state.rule();
                }
            }
            return verdicts;
        }

        private String difference(State actual, long permits) {
            if (actual.atNanos() != oracle.atNanos() || !actual.rule().equals(oracle.rule())) {
                return "is at " + oracle.atNanos() + " under " + oracle.rule();
            }
            if (!readBack(actual).equals(actual)) {
                return "is not what is read back";
            }
            List<Bandwidth> bandwidths = actual.rule().algorithm().bandwidths();
            for (int i = 0; i < bandwidths.size(); i++) {
                long capacity = bandwidths.get(i).capacity();
                long wanted = Math.min(permits, capacity);
                if (actual.level(i) != oracle.remaining(i)) {
                    return "holds " + oracle.remaining(i) + " of " + bandwidths.get(i);
                }
                if (!oracle.isReadyFirstAt(i, wanted, actual.readyAtNanos(i, wanted))) {
                    return "has " + wanted + " at " + oracle.readyAtNanos(i, wanted) + " of " + bandwidths.get(i);
                }
                if (!oracle.isReadyFirstAt(i, capacity, actual.readyAtNanos(i, capacity))) {
                    return "is full at " + oracle.readyAtNanos(i, capacity) + " of " + bandwidths.get(i);
                }
            }
            return "";
        }

        /** As by a store that keeps numbers, which are refused if they do not fit the rule. */
        private static State readBack(State state) {
            int count = state.rule().algorithm().bandwidths().size();
            if (state instanceof WindowState window) {
                long[][] counts =
                        IntStream.range(0, count).mapToObj(window::counts).toArray(long[][]::new);
                return WindowState.restore(state.rule(), state.atNanos(), counts);
            }
            BucketState room = ((QueueState) state).room();
            long[] rooms = IntStream.range(0, 2 * count)
                    .mapToLong(i -> i % 2 == 0 ? room.level(i / 2) : room.fraction(i / 2))
                    .toArray();
            return QueueState.restore(state.rule(), state.atNanos(), rooms);
        }

        /** Often just when something becomes ready, or at the edge of a window, or a nanosecond off (I3). */
        private long anyInstant() {
            Bandwidth bandwidth = anyBandwidth();
            long capacity = bandwidth.capacity();
            int index = state.rule().algorithm().bandwidths().indexOf(bandwidth);
            long window = bandwidth.period().toNanos();
            long ready = state.readyAtNanos(index, random.nextLong(capacity) + 1);
            return switch (random.nextInt(16)) {
                case 0, 1, 2 -> ready == Long.MAX_VALUE ? nowNanos : sum(ready, random.nextInt(3) - 1);
                case 3 -> sum(nowNanos, window - Math.floorMod(nowNanos, window) + random.nextInt(3) - 1);
                case 4 -> sum(state.atNanos(), -random.nextLong(Algorithm.STEP_BACK_TOLERANCE_NANOS));
                case 5 -> sum(state.atNanos(), -Algorithm.STEP_BACK_TOLERANCE_NANOS + random.nextInt(3) - 1);
                case 6 ->
                    random.nextInt(8) == 0
                            ? sum(state.atNanos(), (random.nextBoolean() ? 1 : -1) * magnitude(Long.MAX_VALUE / 4))
                            : nowNanos;
                case 7, 8 -> sum(nowNanos, random.nextLong(window / 4 + 1));
                case 9 -> sum(nowNanos, magnitude(window));
                default -> sum(nowNanos, random.nextLong(window / 64 + 2));
            };
        }

        /** Within half of what a long holds, so that no window reaches beyond either end. */
        private static long sum(long instant, long nanos) {
            long sum = instant + nanos;
            boolean overflowed = ((instant ^ sum) & (nanos ^ sum)) < 0;
            long saturated = overflowed ? (instant < 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : sum;
            return Math.max(Long.MIN_VALUE / 2, Math.min(Long.MAX_VALUE / 2, saturated));
        }

        private long anyPermits() {
            Bandwidth bandwidth = anyBandwidth();
            int index = state.rule().algorithm().bandwidths().indexOf(bandwidth);
            long level = Math.max(0, state.level(index));
            return switch (random.nextInt(8)) {
                case 0 -> random.nextInt(4) == 0 ? 0 : 1;
                case 1 -> level;
                case 2 -> level + 1;
                case 3 -> bandwidth.capacity() + random.nextInt(2);
                default -> magnitude(random.nextBoolean() ? level + 1 : bandwidth.capacity() / 8 + 1);
            };
        }

        private Bandwidth anyBandwidth() {
            List<Bandwidth> bandwidths = state.rule().algorithm().bandwidths();
            return bandwidths.get(random.nextInt(bandwidths.size()));
        }

        private Rule anyRule() {
            return switch (random.nextInt(5)) {
                case 0 -> new Rule(Math.max(1, rule.version() - 1), anyAlgorithm());
                case 1 -> new Rule(rule.version(), anyAlgorithm());
                case 2 -> new Rule(rule.version() + 1, rule.algorithm());
                default -> new Rule(rule.version() + 1, anyAlgorithm());
            };
        }

        /** Of other names and numbers than the one before, or of some of the same. */
        private Algorithm anyAlgorithm() {
            List<Bandwidth> bandwidths = new ArrayList<>();
            int first = random.nextInt(3);
            int count = random.nextInt(1, 4);
            for (int i = 0; i < count; i++) {
                boolean small = random.nextInt(8) > 0;
                long capacity = kind == Kind.SLIDING_LOG || small
                        ? random.nextLong(1, random.nextInt(4) == 0 ? SlidingLog.MAX_PERMITS + 1 : 20)
                        : magnitude(Bandwidth.MAX_PERMITS);
                Duration window = anyWindow();
                long refill = kind == Kind.LEAKY_BUCKET ? magnitude(capacity) : capacity;
                bandwidths.add(new Bandwidth("b" + (first + i), capacity, refill, window));
            }
            return kind.with(bandwidths);
        }

        private Duration anyWindow() {
            return switch (random.nextInt(8)) {
                case 0 -> Duration.ofNanos(magnitude(Long.MAX_VALUE));
                case 1 -> Duration.ofNanos(random.nextLong(1, 30));
                case 2 -> Duration.ofDays(1);
                case 3 -> Duration.ofNanos(999_999_937);
                case 4, 5 -> Duration.ofMinutes(1);
                default -> Duration.ofSeconds(1);
            };
        }

        /** From 1 to {@code most}, every order of magnitude as likely as the others. */
        private long magnitude(long most) {
            int bits = 64 - Long.numberOfLeadingZeros(most);
            return Math.min(most, (random.nextLong() >>> (64 - random.nextInt(1, bits + 1))) | 1);
        }
    }
}
