package io.weir.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class BandwidthTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    static Stream<Arguments> outOfRange() {
        return Stream.of(
                Arguments.of(0, 1, SECOND, "capacity", "0"),
                Arguments.of(-5, 1, SECOND, "capacity", "-5"),
                Arguments.of((1L << 62) + 1, 1, SECOND, "capacity", "4611686018427387905"),
                Arguments.of(1, 0, SECOND, "refill", "0"),
                Arguments.of(1, -5, SECOND, "refill", "-5"),
                Arguments.of(1, Long.MAX_VALUE, SECOND, "refill", "9223372036854775807"),
                Arguments.of(1, 1, Duration.ZERO, "period", "PT0S"),
                Arguments.of(1, 1, Duration.ofNanos(-1), "period", "PT-0.000000001S"),
                Arguments.of(1, 1, LONGEST.plusNanos(1), "period", "PT2562047H47M16.854775808S"),
                Arguments.of(1, 1, Duration.ofSeconds(Long.MAX_VALUE), "period", "PT2562047788015215H30M7S"));
    }

    @ParameterizedTest
    @MethodSource("outOfRange")
    void refusesWhatIsOutOfRange(long capacity, long refill, Duration period, String component, String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Bandwidth.of(capacity, refill, period))
                .withMessageStartingWith(component + " of bandwidth \"default\"")
                .withMessageEndingWith("is " + value);
    }

    @Test
    void acceptsTheEndsOfEachRange() {
        assertThat(Bandwidth.of(1, 1, Duration.ofNanos(1)).window()).isEqualTo(Duration.ofNanos(1));
        assertThat(Bandwidth.of(1L << 62, 1L << 62, LONGEST).window()).isEqualTo(LONGEST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "per client", "per/client", "\u00fcber", "a\nb"})
    void refusesANameOfOtherCharacters(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Bandwidth.of(1, 1, SECOND).named(name))
                .withMessageContaining("\"" + name.replaceAll("[^ -~]", "?") + "\"");
    }

    @Test
    void refusesAnEndlessNameWithoutRepeatingAllOfIt() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Bandwidth.of(1, 1, SECOND).named("n".repeat(1_000_000)))
                .withMessageEndingWith("\"" + "n".repeat(64) + "...\"");
    }

    @Test
    @SuppressWarnings("NullAway") // what callers without a null checker can do
    void refusesNoNameAndNoPeriod() {
        assertThatNullPointerException()
                .isThrownBy(() -> Bandwidth.of(1, 1, SECOND).named(null))
                .withMessageContaining("name");
        assertThatNullPointerException()
                .isThrownBy(() -> Bandwidth.of(1, 1, null))
                .withMessage("period of a bandwidth");
    }

    @Test
    void fillsWithinItsWindow() {
        assertThat(Bandwidth.of(100, 50, SECOND).window()).isEqualTo(Duration.ofSeconds(2));
        assertThat(Bandwidth.of(1, 3, SECOND).window()).isEqualTo(Duration.ofNanos(333_333_334));
    }

    @Test
    void hasAWindowOfAtMost292Years() {
        assertThat(Bandwidth.of(1_000_000, 1, Duration.ofDays(1)).window()).isEqualTo(LONGEST);
    }

    @Test
    void isDividedAmongNodes() {
        assertThat(Bandwidth.of(100, 50, SECOND).part(1, 3)).isEqualTo(Bandwidth.of(33, 50, Duration.ofSeconds(3)));
        assertThat(Bandwidth.of(100, 50, SECOND).part(1, 1)).isEqualTo(Bandwidth.of(100, 50, SECOND));
    }

    @Test
    void leavesEachNodeOnePermitWhereThereAreMoreNodesThanPermits() {
        Bandwidth share = Bandwidth.of(1, 1, Duration.ofMinutes(1)).part(1, 10);

        assertThat(share).isEqualTo(Bandwidth.of(1, 1, Duration.ofMinutes(10)));
    }

    @Test
    void sharesOutARateTooSlowForAnyPeriod() {
        Bandwidth share = Bandwidth.of(1, 1, Duration.ofDays(365)).part(1, 293);

        assertThat(share.period()).isEqualTo(LONGEST);
        assertThat(Bandwidth.of(1, 1, LONGEST).part(1, Integer.MAX_VALUE).period())
                .isEqualTo(LONGEST);
    }

    @Test
    void dividesTheRefillWhereNoPeriodIsLongEnough() {
        Bandwidth yearly = Bandwidth.of(1_000_000, 1_000_000, Duration.ofDays(365));
        Bandwidth inACentury = Bandwidth.of(1_000_000, 1_000_000, Duration.ofDays(36_500));

        assertThat(yearly.part(1, 1_000)).isEqualTo(Bandwidth.of(1_000, 292_471, LONGEST));
        assertThat(inACentury.part(1, 10)).isEqualTo(Bandwidth.of(100_000, 292_471, LONGEST));
    }

    /** But for the one permit in 292 years that is left to each node, however many there are. */
    @Test
    void isNeverExceededByTheSumOfItsShares() {
        long seed = Long.getLong("weir.seed", System.nanoTime());
        System.out.println("BandwidthTest: replay with -Dweir.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        int divided = 0;
        for (int i = 0; i < 100_000; i++) {
            long refill = magnitude(random, Bandwidth.MAX_PERMITS);
            Bandwidth whole = Bandwidth.of(1, refill, Duration.ofNanos(magnitude(random, Long.MAX_VALUE)));
            int nodes = (int) magnitude(random, Integer.MAX_VALUE);

            Bandwidth share = whole.part(1, nodes);

            boolean least = share.refill() == 1 && share.period().equals(LONGEST);
            // nodes * share.refill / share.period <= whole.refill / whole.period
            assertThat(least
                            || product(nodes, share.refill(), whole.period().toNanos())
                                            .compareTo(product(
                                                    1,
                                                    whole.refill(),
                                                    share.period().toNanos()))
                                    <= 0)
                    .as("%s among %d nodes: %s", whole, nodes, share)
                    .isTrue();
            divided += least || share.refill() == refill ? 0 : 1;
        }
        assertThat(divided).isGreaterThan(1_000);
    }

    private static BigInteger product(long a, long b, long c) {
        return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b)).multiply(BigInteger.valueOf(c));
    }

    /** From 1 to {@code most}, every order of magnitude as likely as the others. */
    private static long magnitude(SplittableRandom random, long most) {
        int bits = 64 - Long.numberOfLeadingZeros(most);
        return Math.min(most, (random.nextLong() >>> (64 - random.nextInt(1, bits + 1))) | 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void refusesToBeDividedByNobody(int nodes) {
        Rule whole = new Rule(1, new TokenBucket(List.of(Bandwidth.of(1, 1, SECOND))));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> whole.share(nodes))
                .withMessageEndingWith("is " + nodes);
    }
}
