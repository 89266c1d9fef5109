package io.weir.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.weir.algorithm.Algorithm.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of balances when the numbers change (I7), with the numbers of K-06. */
class CarryOverTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final long NOW = Duration.ofDays(1).toNanos() + 7;

    private static Rule rule(long version, Kind kind, CarryOver mode, long n) {
        return rule(version, kind, mode, n, MINUTE);
    }

    private static Rule rule(long version, Kind kind, CarryOver mode, long n, Duration window) {
        return new Rule(version, kind.with(List.of(Bandwidth.perWindow(n, window))), false, mode);
    }

    /** A state of a kind with so many permits left of {@code n}. */
    private static State holding(Kind kind, long n, long left) {
        Rule rule = rule(1, kind, CarryOver.PROPORTION, n);
        return switch (kind) {
            case TOKEN_BUCKET -> BucketState.restore(rule, NOW, left, 0);
            case LEAKY_BUCKET -> QueueState.restore(rule, NOW, left, 0);
            case FIXED_WINDOW -> WindowState.restore(rule, NOW, new long[] {n - left});
            case SLIDING_WINDOW -> WindowState.restore(rule, NOW, new long[] {0, n - left});
            case SLIDING_LOG ->
                WindowState.restore(rule, NOW, n == left ? new long[] {} : new long[] {NOW - 5, n - left});
        };
    }

    /** What is left of the permits, or the room in a queue. */
    private static long left(State state) {
        return state instanceof QueueState queue ? queue.room().level(0) : state.level(0);
    }

    static Stream<Arguments> everyPairOfKindsAndMode() {
        List<Arguments> all = new ArrayList<>();
        for (Kind from : Kind.values()) {
            for (Kind to : Kind.values()) {
                for (CarryOver mode : CarryOver.values()) {
                    all.add(Arguments.of(from, to, mode));
                }
            }
        }
        return all.stream();
    }

    /** K-06. */
    @ParameterizedTest
    @MethodSource("everyPairOfKindsAndMode")
    void carriesOver(Kind from, Kind to, CarryOver mode) {
        assertCarried(from, to, mode, 5, 2, 10, mode == CarryOver.RESET ? 10 : mode == CarryOver.AS_IS ? 2 : 4);
        assertCarried(from, to, mode, 10, 8, 5, mode == CarryOver.PROPORTION ? 4 : 5);
        assertCarried(from, to, mode, 3, 1, 10, mode == CarryOver.RESET ? 10 : mode == CarryOver.AS_IS ? 1 : 3);
        assertCarried(from, to, mode, 5, 0, 10, mode == CarryOver.RESET ? 10 : 0);
        assertCarried(from, to, mode, 5, -3, 10, mode == CarryOver.RESET ? 10 : mode == CarryOver.AS_IS ? -3 : -6);
        assertCarried(from, to, mode, 5, -3, 4, mode == CarryOver.RESET ? 4 : -3); // -2.4, against the caller
        assertCarried(from, to, mode, 7, 7, 9, mode == CarryOver.AS_IS ? 7 : 9);
    }

    private static void assertCarried(Kind from, Kind to, CarryOver mode, long n, long left, long m, long expected) {
        State before = holding(from, n, left);
        Rule changed = rule(2, to, mode, m);

        State after = changed.advance(before, 0, NOW);

        assertThat(left(after)).as("%d of %d to %d", left, n, m).isEqualTo(expected);
        assertThat(after.rule()).isEqualTo(changed);
        // Refill keeps working: nothing asked for two windows, and it is full; a debt takes longer to pay.
        long enough = NOW + 4 * MINUTE.toNanos();
        assertThat(left(changed.advance(after, 0, enough))).isEqualTo(m);
        // And the same again changes nothing.
        assertThat(changed.advance(after, 0, NOW)).isEqualTo(after);
        Rule again = rule(3, to, mode, m);
        assertThat(left(again.advance(after, 0, NOW))).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void drainedAfterALoweringItIsFullAtTheNewCapacityAPeriodLater(Kind kind) {
        Rule lowered = rule(2, kind, CarryOver.PROPORTION, 5);
        State state = lowered.advance(holding(kind, 10, 8), 0, NOW);
        State drained = lowered.charge(state, 5, 0, NOW).state();
        long later = NOW + (kind == Kind.SLIDING_WINDOW ? 2 : 1) * MINUTE.toNanos();
        assertThat(lowered.advance(drained, 0, later).level(0)).isEqualTo(5);
    }

    /** What was taken earlier leaves its window when it would have. */
    @Test
    void keepsWhenPermitsWereTakenInAWindowOfTheSameLength() {
        Rule before = rule(1, Kind.SLIDING_LOG, CarryOver.PROPORTION, 4);
        State state = WindowState.restore(before, NOW, new long[] {NOW - 50, 1, NOW - 30, 1, NOW, 1});

        State doubled = rule(2, Kind.SLIDING_LOG, CarryOver.PROPORTION, 8).advance(state, 0, NOW);
        assertThat(((WindowState) doubled).counts(0)).containsExactly(NOW - 50, 2, NOW - 30, 2, NOW, 2);
        State halved = rule(2, Kind.SLIDING_LOG, CarryOver.PROPORTION, 2).advance(state, 0, NOW);
        assertThat(((WindowState) halved).counts(0)).containsExactly(NOW - 50, 1, NOW, 1); // 1.5, rounded up
        State asIs = rule(2, Kind.SLIDING_LOG, CarryOver.AS_IS, 8).advance(state, 0, NOW);
        assertThat(((WindowState) asIs).counts(0)).containsExactly(NOW - 50, 1, NOW - 30, 1, NOW, 5);

        Rule windows = rule(1, Kind.SLIDING_WINDOW, CarryOver.PROPORTION, 10);
        State counted = WindowState.restore(windows, NOW, new long[] {6, 3});
        State scaled = rule(2, Kind.SLIDING_WINDOW, CarryOver.PROPORTION, 5).advance(counted, 0, NOW);
        assertThat(((WindowState) scaled).counts(0)).containsExactly(3, 2);
    }

    @Test
    void keepsAWholeWindowOfTheLargestCapacity() {
        Rule one = rule(1, Kind.SLIDING_WINDOW, CarryOver.PROPORTION, 1);
        long edge = Duration.ofDays(1).toNanos();
        State state = WindowState.restore(one, edge, new long[] {1, 0});
        Rule largest = rule(2, Kind.SLIDING_WINDOW, CarryOver.PROPORTION, Bandwidth.MAX_PERMITS);

        State after = largest.advance(state, 0, edge);

        assertThat(((WindowState) after).counts(0)).containsExactly(Bandwidth.MAX_PERMITS, 0);
    }

    @ParameterizedTest
    @EnumSource(names = {"FIXED_WINDOW", "SLIDING_WINDOW", "SLIDING_LOG"})
    void countsAsTakenNowWhatWasTakenInAWindowOfAnotherLength(Kind kind) {
        State state = holding(kind, 10, 4);
        State changed =
                rule(2, kind, CarryOver.PROPORTION, 10, Duration.ofSeconds(10)).advance(state, 0, NOW);
        assertThat(changed.level(0)).isEqualTo(4);
        long[] counts = ((WindowState) changed).counts(0);
        assertThat(counts[counts.length - 1]).isEqualTo(6);
        assertThat(kind != Kind.SLIDING_LOG || counts[0] == NOW).isTrue();
    }

    /** During a roll-out that did not raise the version, old and new numbers take turns. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void mintsNothingWhenNumbersOfOneVersionTakeTurns(Kind kind) {
        for (CarryOver mode : CarryOver.values()) {
            Rule one = rule(1, kind, mode, 10);
            Rule other = rule(1, kind, mode, 20);
            State state = holding(kind, 10, 3);
            for (int i = 0; i < 10; i++) {
                state = other.advance(state, 0, NOW);
                state = one.advance(state, 0, NOW);
            }
            assertThat(left(state)).as(mode.name()).isLessThanOrEqualTo(3);
        }
    }

    @Test
    void resetsOnlyWhatChanged() {
        Bandwidth burst = Bandwidth.perWindow(5, MINUTE).named("burst");
        Bandwidth daily = Bandwidth.perWindow(100, Duration.ofDays(1)).named("daily");
        Rule before = new Rule(1, new TokenBucket(List.of(burst, daily)));
        State state = before.take(null, 5, NOW).state();
        Rule changed = new Rule(
                2,
                new TokenBucket(List.of(Bandwidth.perWindow(9, MINUTE).named("burst"), daily)),
                false,
                CarryOver.RESET);

        State after = changed.advance(state, 0, NOW);

        assertThat(after.level(0)).isEqualTo(9);
        assertThat(after.level(1)).isEqualTo(95);
    }

    @Test
    void theNewerRuleSaysHow() {
        State newer = rule(3, Kind.TOKEN_BUCKET, CarryOver.AS_IS, 10).advance(holding(Kind.TOKEN_BUCKET, 5, 2), 0, NOW);
        State asked = rule(2, Kind.TOKEN_BUCKET, CarryOver.RESET, 7).advance(newer, 0, NOW);
        assertThat(asked).isEqualTo(newer);
        assertThat(asked.level(0)).isEqualTo(2);
    }

    @Test
    void neitherIsFullerThanWhatIsLentLeavesRoomFor() {
        for (Kind kind : Kind.values()) {
            State after = rule(2, kind, CarryOver.RESET, 10).advance(holding(Kind.TOKEN_BUCKET, 20, 5), 8, NOW);
            assertThat(left(after)).as(kind.name()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PROPORTION")
    void refusesOtherModesUnderStrictPartitions(CarryOver mode) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Rule(1, new TokenBucket(List.of(Bandwidth.perWindow(10, MINUTE))), true, mode))
                .withMessageContaining(mode.name())
                .withMessageContaining("leave carryOver at PROPORTION");
    }

    @ParameterizedTest
    @CsvSource({"TOKEN_BUCKET", "LEAKY_BUCKET", "FIXED_WINDOW", "SLIDING_WINDOW", "SLIDING_LOG"})
    void toAndFroUnderStrictPartitionsMintsNothing(Kind kind) {
        Rule whole = new Rule(1, kind.with(List.of(Bandwidth.perWindow(90, MINUTE))), true);
        State state = whole.advance(
                new Rule(1, kind.with(List.of(Bandwidth.perWindow(90, MINUTE))))
                        .charge(null, 30, 0, NOW)
                        .state(),
                0,
                NOW);
        assertThat(left(state)).isEqualTo(60);
        state = whole.part(2, 3).advance(state, 0, NOW);
        assertThat(left(state)).as("its part").isEqualTo(40);
        state = whole.advance(state, 0, NOW);
        assertThat(left(state)).as("its permits").isEqualTo(40);
    }
}
