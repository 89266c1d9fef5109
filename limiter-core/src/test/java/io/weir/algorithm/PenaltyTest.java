package io.weir.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PenaltyTest {

    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void coolDownsDoubleUpToTheLongest() {
        assertThat(IntStream.rangeClosed(1, 9)
                        .mapToLong(level -> Penalty.standard().cooldown(level).toSeconds()))
                .containsExactly(60L, 120L, 240L, 480L, 960L, 1_920L, 3_600L, 3_600L, 3_600L);
    }

    @Test
    void noLevelIsTooHigh() {
        for (Duration first : new Duration[] {Duration.ofMillis(1), Duration.ofSeconds(60), Penalty.LONGEST}) {
            Penalty penalty = Penalty.standard().withCooldown(first, Penalty.LONGEST);
            Duration before = first;
            for (int level = 1; level < 200; level++) {
                Duration exact = before.compareTo(Penalty.LONGEST) < 0 ? before : Penalty.LONGEST;
                assertThat(penalty.cooldown(level))
                        .as("%s, level %d", first, level)
                        .isEqualTo(exact);
                before = exact.multipliedBy(2);
            }
            assertThat(penalty.cooldown(Integer.MAX_VALUE)).isEqualTo(Penalty.LONGEST);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Penalty.standard().cooldown(0))
                .withMessageContaining("but is 0");
    }

    @Test
    void saysWhichNumberIsWrong() {
        Penalty good = Penalty.standard();
        assertThat(good).isEqualTo(new Penalty(3, HOUR, Duration.ofSeconds(60), HOUR, Duration.ofDays(1)));
        refuses(() -> good.withStrikes(0, HOUR), "strikes of a penalty must be 1 to 1000 but are 0");
        refuses(() -> good.withStrikes(1_001, HOUR), "but are 1001");
        refuses(() -> good.withStrikes(3, Duration.ofNanos(1)), "per of a penalty must be PT0.001S to PT8760H");
        refuses(() -> good.withCooldown(Duration.ZERO, HOUR), "first of a penalty must be");
        refuses(
                () -> good.withCooldown(HOUR, HOUR.minusNanos(1)),
                "longest of a penalty must be PT1H to PT8760H but is");
        refuses(() -> good.withCooldown(HOUR, Duration.ofDays(366)), "longest of a penalty");
        refuses(() -> good.withForgivenAfter(Duration.ofMillis(-1)), "forgivenAfter of a penalty must be PT0S to");
        assertThat(good.withForgivenAfter(Duration.ZERO).forgivenAfter()).isZero();
    }

    private static void refuses(Runnable change, String message) {
        assertThatIllegalArgumentException().isThrownBy(change::run).withMessageContaining(message);
    }
}
