package io.weir.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RefillTest {

    /** Past what 64 bits hold in one operand, and just below and above it in their product. */
    private static final long[] LARGE = {1, 2, 3, (1L << 31) - 1, 1L << 32, 3_037_000_499L, 1L << 62, Long.MAX_VALUE};

    @Test
    void isReducedToLowestTerms() {
        assertThat(Refill.of(Bandwidth.of(1, 60, Duration.ofMinutes(1)))).isEqualTo(new Refill(1, 1_000_000_000));
        assertThat(Refill.of(Bandwidth.of(1, 3_000, Duration.ofSeconds(1)))).isEqualTo(new Refill(3, 1_000_000));
        assertThat(Refill.of(Bandwidth.of(1, 7_919, Duration.ofNanos(1_009)))).isEqualTo(new Refill(7_919, 1_009));
    }

    @Test
    void gainsWholeTokensAndKeepsTheRest() {
        Refill threeInTen = new Refill(3, 10);

        assertThat(threeInTen.wholeGained(2, 6, 100)).isEqualTo(2);
        assertThat(threeInTen.fractionAfter(2, 6)).isZero();
        assertThat(threeInTen.wholeGained(9, 3, 100)).isEqualTo(1);
        assertThat(threeInTen.fractionAfter(9, 3)).isEqualTo(8);
    }

    @Test
    void gainsNoMoreThanThereIsRoomFor() {
        assertThat(new Refill(3, 10).wholeGained(0, 1_000, 7)).isEqualTo(7);
        assertThat(new Refill(3, 10).wholeGained(0, Long.MAX_VALUE, 7)).isEqualTo(7);
    }

    @Test
    void isExactWhereProductsLeave64Bits() {
        for (long tokens : LARGE) {
            for (long nanos : LARGE) {
                for (long elapsed : LARGE) {
                    long fraction = nanos - 1;
                    BigInteger[] expected = BigInteger.valueOf(tokens)
                            .multiply(BigInteger.valueOf(elapsed))
                            .add(BigInteger.valueOf(fraction))
                            .divideAndRemainder(BigInteger.valueOf(nanos));
                    Refill refill = new Refill(tokens, nanos);

                    assertThat(refill.wholeGained(fraction, elapsed, Long.MAX_VALUE))
                            .isEqualTo(expected[0]
                                    .min(BigInteger.valueOf(Long.MAX_VALUE))
                                    .longValueExact());
                    assertThat(refill.fractionAfter(fraction, elapsed)).isEqualTo(expected[1].longValueExact());
                }
            }
        }
    }

    @Test
    void waitsForNothingThatIsThere() {
        assertThat(new Refill(3, 10).nanosUntil(5, 0, 5)).isZero();
        assertThat(new Refill(3, 10).nanosUntil(5, 9, 2)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "3, 10", "1, 333333333", "7919, 1009", "1009, 7919", "999999937, 1000000007"})
    void waitsNoNanosecondLongerThanNeeded(long tokens, long nanos) {
        Refill refill = new Refill(tokens, nanos);
        for (long wanted : new long[] {1, 2, 97, 1_000_003}) {
            for (long fraction : new long[] {0, nanos / 2, nanos - 1}) {
                long wait = refill.nanosUntil(0, fraction, wanted);

                assertThat(refill.wholeGained(fraction, wait, Long.MAX_VALUE)).isGreaterThanOrEqualTo(wanted);
                assertThat(refill.wholeGained(fraction, wait - 1, Long.MAX_VALUE))
                        .isLessThan(wanted);
            }
        }
    }

    @Test
    void waitsForADebtToo() {
        assertThat(new Refill(1, 10).nanosUntil(-3, 5, 1)).isEqualTo(35);
    }

    @Test
    void saturatesAWaitThatNoLongHolds() {
        assertThat(new Refill(1, Long.MAX_VALUE).nanosUntil(0, 0, 1)).isEqualTo(Long.MAX_VALUE);
        assertThat(new Refill(1, Long.MAX_VALUE).nanosUntil(0, 1, 1)).isEqualTo(Long.MAX_VALUE - 1);
        assertThat(new Refill(1, Long.MAX_VALUE).nanosUntil(0, 0, 2)).isEqualTo(Long.MAX_VALUE);
        assertThat(new Refill(2, Long.MAX_VALUE).nanosUntil(0, 0, 2)).isEqualTo(Long.MAX_VALUE);
        assertThat(new Refill(1, 2).nanosUntil(BucketState.LOWEST_LEVEL, 0, Bandwidth.MAX_PERMITS))
                .isEqualTo(Long.MAX_VALUE);
    }
}
