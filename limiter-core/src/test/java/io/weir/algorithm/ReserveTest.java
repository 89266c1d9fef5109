package io.weir.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReserveTest {

    private static final long SEED = Long.getLong("weir.seed", 1);
    private static final long SECOND = 1_000_000_000;
    private static final Rule TEN = rule(Algorithm.Kind.TOKEN_BUCKET, Bandwidth.of(10, 10, Duration.ofSeconds(1)));

    private static Rule rule(Algorithm.Kind kind, Bandwidth... bandwidths) {
        return new Rule(1, kind.with(List.of(bandwidths)));
    }

    @Test
    void takesWhatIsThere() {
        Transition step = TEN.reserve(null, 4, SECOND, 0, 5);

        assertThat(step.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(step.state().level(0)).isEqualTo(6);
        assertThat(step.state().usableAtNanos(4, 0)).isEqualTo(5);
    }

    @Test
    void putsAsideWhatRefillsNext() {
        State empty = TEN.take(null, 10, 0).state();
        Transition step = TEN.reserve(empty, 3, SECOND, 0, 0);

        assertThat(step.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(step.state().usableAtNanos(3, 0)).isEqualTo(SECOND * 3 / 10);
        assertThat(TEN.take(step.state(), 1, SECOND * 3 / 10).verdict())
                .as("nobody who asks later comes first")
                .isEqualTo(Verdict.DENIED);
        assertThat(TEN.take(step.state(), 1, SECOND * 4 / 10).verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void deniesWhatIsTooFarOffAndChangesNothing() {
        State empty = TEN.take(null, 10, 0).state();
        Transition late = TEN.reserve(empty, 3, SECOND * 3 / 10 - 1, 0, 0);

        assertThat(late.verdict()).isEqualTo(Verdict.DENIED);
        assertThat(late.changed()).isFalse(); // I4
        assertThat(late.state()).isEqualTo(empty);
    }

    @Test
    void neverGrantsMoreThanTheCapacity() {
        assertThat(TEN.reserve(null, 11, Long.MAX_VALUE, 0, 0).verdict()).isEqualTo(Verdict.NEVER); // I5
    }

    @Test
    void owesNoMoreThanAStateCanHold() {
        Rule slow = rule(
                Algorithm.Kind.TOKEN_BUCKET,
                Bandwidth.of(Bandwidth.MAX_PERMITS, Bandwidth.MAX_PERMITS, Duration.ofNanos(1)));
        State owing = slow.take(null, Bandwidth.MAX_PERMITS, 0).state();
        Transition once = slow.reserve(owing, Bandwidth.MAX_PERMITS - 1, Long.MAX_VALUE, 0, 0);
        Transition twice = slow.reserve(once.state(), Bandwidth.MAX_PERMITS - 1, Long.MAX_VALUE, 0, 0);

        assertThat(once.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(twice.verdict()).isEqualTo(Verdict.DENIED);
    }

    @Test
    void goesBackWhole() {
        State empty = TEN.take(null, 10, 0).state();
        State reserved = TEN.reserve(empty, 7, SECOND, 0, 0).state();

        assertThat(TEN.giveBack(reserved, 7, 0).state()).isEqualTo(empty);
    }

    /** A reservation is used beside what is lent: together they may not be more than the capacity (I1). */
    @Test
    void reservesNothingThatHasNoRoomBesideLeases() {
        State half = TEN.take(null, 5, 0).state();

        assertThat(TEN.reserve(half, 6, SECOND, 5, 0).verdict()).isEqualTo(Verdict.DENIED);
        assertThat(TEN.reserve(TEN.take(half, 5, 5, 0).state(), 5, SECOND, 5, 0).verdict())
                .isEqualTo(Verdict.GRANTED);
    }

    /** Whoever comes next must not be told an instant that was promised to others already. */
    @ParameterizedTest
    @EnumSource(names = {"TOKEN_BUCKET", "LEAKY_BUCKET"})
    void noInstantIsPromisedTwiceHoweverManyGiveUp(Algorithm.Kind kind) {
        Rule rule = rule(kind, Bandwidth.of(kind == Algorithm.Kind.TOKEN_BUCKET ? 1 : 20, 10, Duration.ofSeconds(1)));
        State state = rule.take(null, 1, 0).state();
        List<Long> kept = new ArrayList<>();
        for (int round = 0; round < 10; round++) {
            List<Long> promised = new ArrayList<>();
            while (true) {
                Transition step = rule.reserve(state, 1, SECOND, 0, 0);
                if (step.verdict() != Verdict.GRANTED) {
                    break;
                }
                state = step.state();
                promised.add(state.usableAtNanos(1, 0));
            }
            for (int i = 0; i + 1 < promised.size(); i++) {
                state = rule.cancel(state, 1, promised.get(i), 0, 0).state();
            }
            if (!promised.isEmpty()) {
                kept.add(promised.get(promised.size() - 1));
            }
        }

        assertThat(kept).isNotEmpty().doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @EnumSource(names = {"TOKEN_BUCKET", "LEAKY_BUCKET"})
    void whoIsLastGivesUpHisPlace(Algorithm.Kind kind) {
        Rule rule = rule(kind, Bandwidth.of(10, 10, Duration.ofSeconds(1)));
        State used = rule.take(null, 10, 0).state();
        State first = rule.reserve(rule.advance(used, 0, SECOND / 2), 2, SECOND, 0, SECOND / 2)
                .state();
        State second = rule.reserve(first, 1, SECOND, 0, SECOND / 2).state();

        assertThat(rule.cancel(second, 1, second.usableAtNanos(1, 0), 0, SECOND / 2)
                        .state())
                .isEqualTo(first);
        assertThat(rule.cancel(null, 1, 0, 0, 0).changed()).isFalse();
    }

    /** Under leases: what is lent comes out of the room for refill, and never stands in the way of a debt's. */
    @Test
    void isPaidOffWhateverIsLent() {
        State empty = TEN.take(null, 10, 0).state();
        State reserved = TEN.reserve(empty, 3, SECOND, 7, 0).state();

        assertThat(TEN.advance(reserved, 7, reserved.usableAtNanos(3, 0)).level(0))
                .isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"SLIDING_WINDOW", "SLIDING_LOG", "FIXED_WINDOW"})
    void windowsPutNothingAside(Algorithm.Kind kind) {
        Rule rule = rule(kind, Bandwidth.perWindow(10, Duration.ofSeconds(1)));
        State used = rule.reserve(null, 10, 0, 0, 0).state();

        assertThat(rule.reserve(used, 1, Long.MAX_VALUE, 0, 0).verdict()).isEqualTo(Verdict.DENIED);
        assertThat(rule.algorithm().reserves()).isFalse();
    }

    /** The instant is the first at which whoever waits alone would have been granted (I3). */
    @ParameterizedTest
    @EnumSource(names = {"TOKEN_BUCKET", "LEAKY_BUCKET"})
    void isUsableExactlyWhenATakeWouldHaveBeenGranted(Algorithm.Kind kind) {
        System.out.println("Reservations of a " + kind + ", seed " + SEED);
        SplittableRandom random = new SplittableRandom(SEED);
        long waits = 0;
        for (int round = 0; round < 20_000; round++) {
            Rule rule = rule(
                    kind,
                    Bandwidth.of(
                            random.nextLong(1, 50),
                            random.nextLong(1, 50),
                            Duration.ofNanos(random.nextLong(1, 10_000))),
                    Bandwidth.of(
                                    random.nextLong(1, 50),
                                    random.nextLong(1, 50),
                                    Duration.ofNanos(random.nextLong(1, 10_000)))
                            .named("second"));
            State state = rule.take(null, random.nextLong(0, rule.algorithm().smallestCapacity() + 1), 0)
                    .state();
            long now = random.nextLong(0, 1_000);
            long permits = random.nextLong(1, rule.algorithm().smallestCapacity() + 1);
            Transition reserved = rule.reserve(state, permits, Long.MAX_VALUE, 0, now);
            if (reserved.verdict() != Verdict.GRANTED) {
                assertThat(kind).as("a queue can be full").isEqualTo(Algorithm.Kind.LEAKY_BUCKET);
                continue;
            }
            long usableAt = reserved.state().usableAtNanos(permits, 0);
            assertThat(rule.take(state, permits, usableAt).verdict())
                    .as("round %d: %s", round, rule)
                    .isEqualTo(Verdict.GRANTED);
            if (usableAt > now) {
                waits++;
                assertThat(rule.take(state, permits, usableAt - 1).verdict())
                        .as("round %d: %s", round, rule)
                        .isEqualTo(Verdict.DENIED);
                assertThat(rule.reserve(state, permits, usableAt - now, 0, now).verdict())
                        .isEqualTo(Verdict.GRANTED);
                assertThat(rule.reserve(state, permits, usableAt - now - 1, 0, now)
                                .verdict())
                        .isEqualTo(Verdict.DENIED);
            }
        }
        assertThat(waits).isGreaterThan(1_000);
    }

    /** Of several that are decided together each has its own instant, as if it had come alone. */
    @ParameterizedTest
    @EnumSource(names = {"TOKEN_BUCKET", "LEAKY_BUCKET"})
    void eachOfABatchHasItsOwnInstant(Algorithm.Kind kind) {
        Rule rule = rule(kind, Bandwidth.of(10, 10, Duration.ofSeconds(1)));
        State latest = rule.take(null, 10, 0).state();
        State alone = rule.advance(latest, 0, SECOND / 2);
        List<Long> usable = new ArrayList<>();
        List<Long> permits = List.of(1L, 2L, 1L);
        for (long each : permits) {
            Transition step = rule.reserve(alone, each, 10 * SECOND, 0, SECOND / 2);
            assertThat(step.verdict()).isEqualTo(Verdict.GRANTED);
            alone = step.state();
            usable.add(alone.usableAtNanos(each, 0));
        }

        BatchTransition batch = rule.decide(
                latest,
                permits.stream()
                        .<Request>map(each -> new Request.Reserve(each, 10 * SECOND))
                        .toList(),
                SECOND / 2);

        assertThat(batch.state().usableAtNanos(1, 3)).isEqualTo(usable.get(0));
        assertThat(batch.state().usableAtNanos(2, 1)).isEqualTo(usable.get(1));
        assertThat(batch.state().usableAtNanos(1, 0)).isEqualTo(usable.get(2));
    }

    @Test
    void chargesIntoDebtAsFarAsIsSaid() {
        State two = TEN.take(null, 8, 0).state();

        assertThat(TEN.charge(two, 5, 4, 0, 0).state().level(0)).isEqualTo(-3);
        assertThat(TEN.charge(two, 50, 4, 0, 0).state().level(0)).isEqualTo(-4);
        assertThat(TEN.charge(two, 50, 0, 0, 0).state().level(0)).isZero();
        State deep = TEN.charge(two, 50, 40, 0, 0).state();
        assertThat(TEN.charge(deep, 5, 4, 0, 0).state())
                .as("a smaller debt is no gift")
                .isEqualTo(deep);
    }

    @Test
    void refusesWhatIsNone() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Request.Reserve(0, 1))
                .withMessageContaining("is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Request.Reserve(1, -1))
                .withMessageContaining("is -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Request.Charge(1, -1))
                .withMessageContaining("is -1");
    }
}
