package io.weir.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Algorithm.Kind;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What each algorithm grants around the edge of a window, and in any span: the bound that its class states. */
class EdgeTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long WINDOW = 60 * SECOND;
    private static final long N = 100;

    private final long seed = Long.getLong("weir.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);

    EdgeTest() {
        System.out.println("EdgeTest: replay with -Dweir.seed=" + seed);
    }

    /** All at the last nanosecond of a window, and all that there is a nanosecond later. */
    @ParameterizedTest
    @CsvSource({
        "FIXED_WINDOW, 200", // the 2x, on purpose
        "SLIDING_WINDOW, 100",
        "SLIDING_LOG, 100",
        "TOKEN_BUCKET, 100",
        "LEAKY_BUCKET, 1"
    })
    void grantsAcrossAnEdge(Kind kind, long granted) {
        Asked asked = new Asked(kind);
        for (int i = 0; i < 2 * N; i++) {
            asked.one(3 * WINDOW - 1);
        }
        for (int i = 0; i < 2 * N; i++) {
            asked.one(3 * WINDOW);
        }
        assertThat(asked.granted).isEqualTo(granted);
    }

    /** The counter's error: what was granted at the end of a window is taken for spread over it. */
    @ParameterizedTest
    @CsvSource({"FIXED_WINDOW, 200", "SLIDING_WINDOW, 150", "SLIDING_LOG, 100", "TOKEN_BUCKET, 150"})
    void grantsInHalfAWindowAfterAnEdge(Kind kind, long granted) {
        Asked asked = new Asked(kind);
        for (int i = 0; i < N; i++) {
            asked.one(3 * WINDOW - 1);
        }
        for (long at = 3 * WINDOW; at <= 3 * WINDOW + WINDOW / 2; at += WINDOW / 1_000) {
            asked.one(at);
        }
        assertThat(asked.granted).isEqualTo(granted);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void staysWithinItsBoundInAnySpanUpToAWindow(Kind kind) {
        for (int run = 0; run < 15; run++) {
            Asked asked = new Asked(kind);
            long now = random.nextLong(10 * WINDOW);
            for (int i = 0; i < 1_000; i++) {
                now += switch (random.nextInt(20)) {
                    case 0 -> WINDOW - Math.floorMod(now, WINDOW) - random.nextInt(2); // the edge, or just before
                    case 1 -> random.nextLong(WINDOW);
                    case 2 -> 0;
                    default -> random.nextLong(WINDOW / N);
                };
                asked.some(random.nextLong(1, 6), now);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void grantsUnderSteadyDemandAsManyPerWindowAsItSays(Kind kind) {
        Asked asked = new Asked(kind);
        for (long at = 0; at < 10 * WINDOW; at += WINDOW / (3 * N)) {
            asked.one(at);
        }
        // A token bucket starts with a burst on top. A counter that denied what came too early is a little behind.
        assertThat(asked.granted).isBetween(10 * N - N / 2, kind == Kind.TOKEN_BUCKET ? 11 * N : 10 * N);
    }

    /** K-26: a try each 100 ms for 10 s on 3 a second. A counter grants one less per window, which matters where there are three. */
    @ParameterizedTest
    @CsvSource({"TOKEN_BUCKET, 32", "FIXED_WINDOW, 30", "SLIDING_LOG, 30", "SLIDING_WINDOW, 21", "LEAKY_BUCKET, 25"})
    void grantsOfAHundredTries(Kind kind, long granted) {
        Algorithm algorithm = kind.with(List.of(Bandwidth.perWindow(3, Duration.ofSeconds(1))));
        Rule rule = new Rule(1, algorithm);
        Deque<Long> grants = new ArrayDeque<>();
        State state = null;
        for (long at = 0; at < 10 * SECOND; at += SECOND / 10) {
            Transition step = rule.take(state, 1, at);
            state = step.changed() ? step.state() : state;
            if (step.verdict() == Verdict.GRANTED) {
                grants.add(at);
            }
        }
        assertThat(grants).hasSize((int) granted);
        for (long from : grants) {
            assertThat(grants.stream()
                            .filter(at -> at >= from && at < from + SECOND)
                            .count())
                    .isLessThanOrEqualTo(6);
        }
    }

    /** K-26: what a window does, and a continuous refill does not. */
    @ParameterizedTest
    @CsvSource({
        "TOKEN_BUCKET, GGDGD",
        "LEAKY_BUCKET, GDDGD",
        "FIXED_WINDOW, GGDDD",
        "SLIDING_WINDOW, GGDDD",
        "SLIDING_LOG, GGDDD"
    })
    void decidesTwoPerMinute(Kind kind, String expected) {
        Rule rule = new Rule(1, kind.with(List.of(Bandwidth.perWindow(2, Duration.ofMinutes(1)))));
        State state = null;
        StringBuilder decided = new StringBuilder();
        for (long at : new long[] {0, 0, 0, 30, 31}) {
            Transition step = rule.take(state, 1, at * SECOND);
            state = step.changed() ? step.state() : state;
            decided.append(step.verdict().name().charAt(0));
        }
        assertThat(decided).hasToString(expected);
    }

    /** A step back beyond the tolerance is worth an edge to a fixed window, and nothing to the sliding ones. */
    @ParameterizedTest
    @CsvSource({"FIXED_WINDOW, 200", "SLIDING_WINDOW, 100", "SLIDING_LOG, 100"})
    void grantsAcrossAStepBackToJustBeforeAnEdge(Kind kind, long granted) {
        Asked asked = new Asked(kind);
        for (int i = 0; i < N; i++) {
            asked.one(3 * WINDOW + 20 * SECOND);
        }
        asked.one(3 * WINDOW - 1);
        for (int i = 0; i < N; i++) {
            asked.one(3 * WINDOW);
        }
        assertThat(asked.granted).isEqualTo(granted);
    }

    @Test
    void aSlidingWindowIsHeldAcrossStepsBackToo() {
        for (int run = 0; run < 200; run++) {
            Asked asked = new Asked(Kind.SLIDING_WINDOW);
            long clock = 100 * WINDOW + random.nextLong(WINDOW);
            long real = 0;
            for (int i = 0; i < 300; i++) {
                long step = random.nextInt(20) == 0 ? random.nextLong(WINDOW) : random.nextLong(WINDOW / N);
                clock += step;
                real += step;
                if (random.nextInt(40) == 0) {
                    clock -= Algorithm.STEP_BACK_TOLERANCE_NANOS + random.nextLong(1, 2 * WINDOW);
                }
                asked.some(random.nextLong(1, 20), clock, real);
            }
        }
    }

    /** One key of {@link #N} per {@link #WINDOW}, with every grant held against the bound. */
    private static final class Asked {

        /** When, and how many. */
        private final List<long[]> grants = new ArrayList<>();

        private final Kind kind;
        private final Rule rule;
        private State state;
        private long granted;

        Asked(Kind kind) {
            this.kind = kind;
            rule = new Rule(1, kind.with(List.of(Bandwidth.perWindow(N, Duration.ofNanos(WINDOW)))));
            state = rule.take(null, 0, 0).state();
        }

        void one(long at) {
            some(1, at);
        }

        void some(long permits, long at) {
            some(permits, at, at);
        }

        /**
         * @param at on the clock that is decided by
         * @param realNanos on one that never steps
         */
        void some(long permits, long at, long realNanos) {
            Transition step = rule.take(state, permits, at);
            state = step.changed() ? step.state() : state;
            if (step.verdict() == Verdict.GRANTED) {
                granted += permits;
                grants.add(new long[] {realNanos, permits});
                requireWithinBound(realNanos, permits);
            }
        }

        /** Of every span that ends now and is no longer than a window. */
        private void requireWithinBound(long now, long last) {
            long sum = 0;
            for (int i = grants.size() - 1; i >= 0 && now - grants.get(i)[0] < WINDOW; i--) {
                sum += grants.get(i)[1];
                long span = now - grants.get(i)[0];
                long gained = BigInteger.valueOf(N)
                        .multiply(BigInteger.valueOf(span))
                        .divide(BigInteger.valueOf(WINDOW))
                        .longValueExact();
                long most = switch (kind) {
                    case TOKEN_BUCKET, SLIDING_WINDOW -> N + gained;
                    case LEAKY_BUCKET -> last + gained;
                    case SLIDING_LOG -> N;
                    case FIXED_WINDOW -> 2 * N;
                };
                if (sum > most) {
                    throw new AssertionError(kind + " granted " + sum + " in " + span + " ns, and not " + most);
                }
            }
        }
    }
}
