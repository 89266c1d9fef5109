package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Algorithm.Kind;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import io.weir.store.LastKnown;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A share of a limit of any algorithm; {@link SharesTest} has the rest. */
class ShareTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** The owner's time line and this node's have nothing in common. */
    private static final long OWNER = Duration.ofDays(20_000).toNanos() + 12_345;

    private static final long HERE = Duration.ofMinutes(10).toNanos();

    private static Share.Numbers numbers(Kind kind) {
        Rule whole = new Rule(4, kind.with(List.of(Bandwidth.perWindow(9, MINUTE))));
        return new Share.Numbers(whole, 3, whole.share(3), MINUTE.toNanos());
    }

    private static long granted(Share share, Share.Numbers numbers, @Nullable LastKnown known, long nowNanos) {
        long granted = 0;
        for (int i = 0; i < 9; i++) {
            granted += share.take(numbers, known, 1, false, nowNanos) == Verdict.GRANTED ? 1 : 0;
        }
        return granted;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void grantsItsPartOfAWindowAndNotMoreInALongerOne(Kind kind) {
        Share.Numbers numbers = numbers(kind);
        Share share = new Share(numbers);
        assertThat(granted(share, numbers, null, HERE)).isEqualTo(kind == Kind.LEAKY_BUCKET ? 1 : 3);
        assertThat(granted(share, numbers, null, HERE + 2 * MINUTE.toNanos()))
                .isEqualTo(kind == Kind.LEAKY_BUCKET ? 1 : 3);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void startsFromItsPartOfWhatWasLastHeard(Kind kind) {
        Share.Numbers numbers = numbers(kind);
        State heard = numbers.whole().take(null, 6, OWNER).state();

        long granted = granted(new Share(numbers), numbers, new LastKnown(heard, 0), HERE);

        assertThat(granted).isEqualTo(kind == Kind.LEAKY_BUCKET ? 0 : 1);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void isLoweredToWhatIsHeardAndNeverRaised(Kind kind) {
        Share.Numbers numbers = numbers(kind);
        Share share = new Share(numbers);
        assertThat(share.take(numbers, null, 1, false, HERE)).isEqualTo(Verdict.GRANTED);
        State drained = numbers.whole().take(null, 9, OWNER).state();
        assertThat(granted(share, numbers, new LastKnown(drained, 0), HERE)).isZero();
        State full = numbers.whole().take(null, 0, OWNER + 1).state();
        assertThat(granted(share, numbers, new LastKnown(full, 0), HERE)).isZero();
    }
}
