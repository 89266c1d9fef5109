package io.weir.algorithm;

import static io.weir.algorithm.Verdict.DENIED;
import static io.weir.algorithm.Verdict.GRANTED;
import static io.weir.algorithm.Verdict.NEVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.weir.algorithm.Algorithm.Kind;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds for every algorithm: the invariants of the package, as far as they are not the token bucket's alone. */
class AlgorithmTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final long TOLERANCE = Algorithm.STEP_BACK_TOLERANCE_NANOS;

    private final long seed = Long.getLong("weir.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);

    AlgorithmTest() {
        System.out.println("AlgorithmTest: replay with -Dweir.seed=" + seed);
    }

    private static Rule rule(Kind kind, Bandwidth... bandwidths) {
        return new Rule(1, kind.with(List.of(bandwidths)));
    }

    private static Rule tenPerMinute(Kind kind) {
        return rule(kind, Bandwidth.perWindow(10, MINUTE));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void saysWhichItIs(Kind kind) {
        Algorithm algorithm = kind.with(List.of(Bandwidth.perWindow(10, MINUTE)));
        assertThat(algorithm.kind()).isEqualTo(kind);
        assertThat(algorithm.lends()).isEqualTo(kind == Kind.TOKEN_BUCKET);
        assertThat(algorithm).isEqualTo(kind.with(List.of(Bandwidth.perWindow(10, MINUTE))));
        for (Kind other : Kind.values()) {
            assertThat(algorithm.equals(other.with(algorithm.bandwidths()))).isEqualTo(kind == other);
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void refusesNoBandwidthTooManyAndTwoOfOneName(Kind kind) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> kind.with(List.of()))
                .withMessageContaining("0");
        Bandwidth one = Bandwidth.perWindow(10, MINUTE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> kind.with(List.of(one, one)))
                .withMessageContaining("default");
    }

    @ParameterizedTest
    @EnumSource(names = {"FIXED_WINDOW", "SLIDING_WINDOW", "SLIDING_LOG"})
    void refusesTwoNumbersWhereOneIsCounted(Kind kind) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> rule(kind, Bandwidth.of(10, 7, MINUTE).named("api")))
                .withMessageContaining("\"api\" has capacity 10 and refill 7")
                .withMessageContaining("write Bandwidth.perWindow(10, window)");
    }

    /** I3: a nanosecond earlier is denied, at that instant it is granted. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void retryAfterIsSharp(Kind kind) {
        for (int run = 0; run < 300; run++) {
            long capacity = random.nextLong(1, 40);
            Rule rule = rule(kind, Bandwidth.perWindow(capacity, Duration.ofNanos(random.nextLong(1, 100 * SECOND))));
            State state = null;
            long now = random.nextLong(-1_000 * SECOND, 1_000 * SECOND);
            for (int i = 0; i < 40; i++) {
                long permits = random.nextLong(1, capacity + 1);
                Transition step = rule.take(state, permits, now);
                state = step.changed() ? step.state() : state;
                if (step.verdict() == DENIED) {
                    long ready = step.state().readyAtNanos(permits);
                    assertThat(ready).isGreaterThan(now);
                    assertThat(rule.take(state, permits, ready - 1).verdict()).isEqualTo(DENIED);
                    assertThat(rule.take(state, permits, ready).verdict()).isEqualTo(GRANTED);
                    now = random.nextBoolean() ? ready : now + random.nextLong(ready - now);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aDenialChangesNothing(Kind kind) { // I4
        Rule rule = tenPerMinute(kind);
        State drained = rule.take(null, 10, 0).state();
        Transition denied = rule.take(drained, 1, SECOND);
        assertThat(denied.verdict()).isEqualTo(DENIED);
        assertThat(denied.changed()).isFalse();
        assertThat(rule.take(drained, 0, SECOND).changed()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void moreThanCapacityIsNever(Kind kind) { // I5
        Rule rule = tenPerMinute(kind);
        assertThat(rule.take(null, 11, 0).verdict()).isEqualTo(NEVER);
        assertThat(rule.take(rule.take(null, 10, 0).state(), 11, 0).verdict()).isEqualTo(NEVER);
        assertThat(rule.take(null, 11, 0).changed()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aPeekIsFree(Kind kind) { // I6
        Rule rule = tenPerMinute(kind);
        State drained = rule.take(null, 10, 0).state();
        assertThat(rule.take(drained, 0, 0).verdict()).isEqualTo(GRANTED);
        assertThat(rule.take(null, 0, 0).changed()).isFalse();
        assertThat(drained.level(0)).isZero();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void severalBandwidthsAreChargedTogetherOrNotAtAll(Kind kind) {
        Rule rule = rule(
                kind,
                Bandwidth.perWindow(3, Duration.ofSeconds(1)).named("burst"),
                Bandwidth.perWindow(5, Duration.ofDays(1)).named("daily"));
        State state = rule.take(null, 3, 0).state();
        assertThat(rule.take(state, 1, 0).verdict()).isEqualTo(DENIED);
        if (kind == Kind.LEAKY_BUCKET) {
            assertThat(rule.take(state, 1, 3 * SECOND).verdict())
                    .as("the daily queue drains")
                    .isEqualTo(DENIED);
            return;
        }
        Transition second = rule.take(state, 3, 3 * SECOND);
        assertThat(second.verdict()).isEqualTo(DENIED);
        assertThat(second.state().level(0)).isEqualTo(3);
        assertThat(second.state().level(1)).isEqualTo(2);
        assertThat(rule.take(state, 2, 3 * SECOND).verdict()).isEqualTo(GRANTED);
    }

    /** I2: an older instant adds nothing and is not stored. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void anOlderInstantIsTheStatesOwn(Kind kind) {
        Rule rule = tenPerMinute(kind);
        State drained = rule.take(null, 10, 70 * SECOND).state();
        Transition earlier = rule.take(drained, 1, 70 * SECOND - TOLERANCE);
        assertThat(earlier.verdict()).isEqualTo(DENIED);
        assertThat(earlier.changed()).isFalse();
        assertThat(earlier.state()).isEqualTo(drained);
    }

    /** I2: a step back beyond the tolerance rebases, gains nothing, and freezes nothing. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aStepBackGainsNothingAndFreezesNothing(Kind kind) {
        for (int run = 0; run < 200; run++) {
            Rule rule = tenPerMinute(kind);
            long now = Duration.ofDays(1).toNanos() + random.nextLong(2 * MINUTE.toNanos());
            State state = null;
            for (int i = 0; i < 20; i++) {
                Transition step = rule.take(state, random.nextLong(1, 4), now);
                state = step.changed() ? step.state() : state;
                now += random.nextLong(8 * SECOND);
            }
            State before = rule.take(state, 0, now).state();
            long back = Math.max(now, before.atNanos()) - TOLERANCE - random.nextLong(1, 5 * MINUTE.toNanos());

            Transition rebased = rule.take(before, 10, back);

            assertThat(rebased.changed()).as("written, so that it happens once").isTrue();
            State after = rule.take(before, 0, back).state();
            assertThat(after.atNanos()).isEqualTo(back);
            assertThat(after.level(0)).isEqualTo(before.level(0));
            assertThat(after.fullAtNanos() - back).isLessThanOrEqualTo(2 * MINUTE.toNanos());
            if (kind == Kind.SLIDING_LOG || kind == Kind.TOKEN_BUCKET || kind == Kind.LEAKY_BUCKET) {
                assertThat(after.fullAtNanos() - back).isEqualTo(before.fullAtNanos() - before.atNanos());
            }
        }
    }

    /** So that a store may forget a bucket from that instant on, and not earlier. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void isFullAtAnInstantAndDecidesLikeNoStateFromThenOn(Kind kind) {
        for (int run = 0; run < 300; run++) {
            long now = random.nextLong(-1_000 * SECOND, 1_000 * SECOND);
            Rule rule = rule(
                    kind,
                    Bandwidth.perWindow(random.nextLong(1, 40), MINUTE),
                    Bandwidth.perWindow(random.nextLong(1, 90), MINUTE.multipliedBy(3))
                            .named("three"));
            State state = rule.charge(null, 1, 0, now).state();
            for (int i = random.nextInt(30); i > 0; i--) {
                now += random.nextLong(20 * SECOND);
                state = rule.take(state, random.nextLong(1, 5), now).state();
            }
            long full = state.fullAtNanos();
            if (full > state.atNanos()) {
                assertThat(isFull(rule.advance(state, 0, full - 1))).isFalse();
            }
            assertThat(isFull(rule.advance(state, 0, full))).isTrue();
            State none = null;
            now = full + random.nextLong(1L << random.nextInt(38));
            for (int i = 0; i < 40; i++) {
                long permits = random.nextLong(0, 5);
                Transition still = rule.take(state, permits, now);
                Transition anew = rule.take(none, permits, now);
                assertThat(still.verdict()).isEqualTo(anew.verdict());
                for (int bandwidth = 0; bandwidth < 2; bandwidth++) {
                    assertThat(still.state().level(bandwidth))
                            .isEqualTo(anew.state().level(bandwidth));
                }
                state = still.changed() ? still.state() : state;
                none = anew.changed() ? anew.state() : none;
                now += random.nextLong(20 * SECOND);
            }
        }
    }

    private static boolean isFull(State state) {
        List<Bandwidth> bandwidths = state.rule().algorithm().bandwidths();
        return state.level(0) == bandwidths.get(0).capacity()
                && state.level(1) == bandwidths.get(1).capacity();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void isFullAfterAllOfAClocksTime(Kind kind) {
        Rule rule = tenPerMinute(kind);
        State state = rule.take(null, 10, Long.MIN_VALUE).state();
        assertThat(rule.take(state, 10, Long.MAX_VALUE).verdict()).isEqualTo(GRANTED);
        State late = rule.take(null, 10, Long.MAX_VALUE).state();
        assertThat(late.readyAtNanos(1)).isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void whatComesBackAtOnceIsThereAgain(Kind kind) {
        Rule rule = tenPerMinute(kind);
        State state = rule.take(null, 6, 0).state();
        assertThat(rule.giveBack(state, 6, 0).state().level(0)).isEqualTo(10);
        assertThat(rule.giveBack(state, Long.MAX_VALUE, 0).state().level(0)).isEqualTo(10);
        assertThat(rule.giveBack(null, 5, 0).changed()).isFalse();
        if (kind != Kind.LEAKY_BUCKET) {
            assertThat(rule.giveBack(state, 2, 0).state().level(0)).isEqualTo(6);
        }
    }

    /** As after an outage. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void chargesDownToZeroAndNoFurther(Kind kind) {
        Rule rule = tenPerMinute(kind);
        State state = rule.charge(null, 4, 0, 0).state();
        assertThat(state.level(0)).isEqualTo(kind == Kind.LEAKY_BUCKET ? 0 : 6);
        State drained = rule.charge(state, Long.MAX_VALUE, 0, 0).state();
        assertThat(drained.level(0)).isZero();
        assertThat(rule.charge(drained, 5, 0, 0).state().level(0)).isZero();
        assertThat(drained.fullAtNanos()).isLessThanOrEqualTo(2 * MINUTE.toNanos());
    }

    /** L17: of two sides of a split the one that has less, at once and later. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void theLowerOfTwoNeverHasMoreThanEither(Kind kind) {
        for (int run = 0; run < 300; run++) {
            Rule rule = rule(
                    kind,
                    Bandwidth.perWindow(10, MINUTE),
                    Bandwidth.perWindow(20, MINUTE).named("more"));
            State one = walked(rule);
            State other = walked(rule);
            long at = Math.max(one.atNanos(), other.atNanos());

            State lower = rule.lower(rule.advance(one, 0, at), rule.advance(other, 0, at), 0);

            for (long later = at; later < at + 2 * MINUTE.toNanos(); later += random.nextLong(1, 10 * SECOND)) {
                for (int i = 0; i < 2; i++) {
                    long least = Math.min(
                            rule.advance(one, 0, later).level(i),
                            rule.advance(other, 0, later).level(i));
                    long merged = rule.advance(lower, 0, later).level(i);
                    assertThat(merged).isLessThanOrEqualTo(least);
                    if (later == at && kind != Kind.SLIDING_WINDOW) {
                        assertThat(merged).isEqualTo(least);
                    }
                }
            }
        }
    }

    private State walked(Rule rule) {
        State state = rule.take(null, 1, 0).state();
        long now = 0;
        for (int i = 0; i < 12; i++) {
            now += random.nextLong(15 * SECOND);
            Transition step = rule.take(state, random.nextLong(1, 4), now);
            state = step.changed() ? step.state() : state;
        }
        return state;
    }

    /** As a share does, which goes by another clock than the owner. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void isNoFullerOnAnotherTimeLine(Kind kind) {
        Rule rule = tenPerMinute(kind);
        for (int run = 0; run < 100; run++) {
            State state = walked(rule);
            long at = random.nextLong(100 * MINUTE.toNanos());
            State moved = rule.restamped(state, at);
            assertThat(moved.atNanos()).isEqualTo(at);
            assertThat(moved.level(0)).isEqualTo(state.level(0));
            assertThat(moved.fullAtNanos() - at).isLessThanOrEqualTo(2 * MINUTE.toNanos());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aShareIsOfTheSameKindAndWindow(Kind kind) {
        Rule rule = rule(
                kind,
                Bandwidth.perWindow(10, MINUTE),
                Bandwidth.perWindow(2, MINUTE).named("few"));
        Rule share = rule.share(3);
        assertThat(share.algorithm().kind()).isEqualTo(kind);
        assertThat(share.algorithm().bandwidths())
                .extracting(Bandwidth::capacity)
                .containsExactly(3L, 1L);
        if (kind != Kind.TOKEN_BUCKET && kind != Kind.LEAKY_BUCKET) {
            assertThat(share.algorithm().bandwidths())
                    .containsExactly(
                            Bandwidth.perWindow(3, MINUTE),
                            Bandwidth.perWindow(1, MINUTE).named("few"));
        }
        Rule strict = new Rule(1, rule.algorithm(), true);
        assertThat(strict.part(2, 3).algorithm().bandwidths())
                .extracting(Bandwidth::capacity)
                .containsExactly(6L, 1L);
        assertThat(strict.part(2, 3).algorithm().kind()).isEqualTo(kind);
    }

    /** Permits that a token bucket lent are out for a moment after its limit became one of another kind. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void leavesRoomForWhatIsLent(Kind kind) {
        Rule before = tenPerMinute(Kind.TOKEN_BUCKET);
        State lent = before.take(null, 4, 0).state(); // and all of it is out
        Rule changed = new Rule(2, kind.with(List.of(Bandwidth.perWindow(10, MINUTE))));
        Transition step = changed.take(lent, 7, 4, 0);
        assertThat(step.verdict()).isEqualTo(DENIED);
        Transition rest = changed.take(lent, 6, 4, 0);
        assertThat(rest.verdict()).isEqualTo(kind == Kind.LEAKY_BUCKET ? DENIED : GRANTED);
        assertThat(changed.take(rest.state(), 7, 4, 59 * SECOND).verdict()).isEqualTo(DENIED);
    }
}
