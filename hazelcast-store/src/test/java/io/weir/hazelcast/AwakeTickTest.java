package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AwakeTickTest {

    private static final long GAP = AwakeTick.LONGEST_GAP.toNanos();

    private long now;
    private boolean member = true;
    private int asked;
    private final AwakeTick tick = new AwakeTick(() -> now, () -> {
        asked++;
        return member;
    });

    @Test
    void isAwakeWhileItTicks() {
        for (int i = 0; i < 100; i++) {
            now += GAP;
            assertThat(tick.getAsBoolean()).isTrue();
            tick.tick();
        }
        assertThat(asked).as("nobody is asked without a reason").isZero();
    }

    @Test
    void aCallThatComesBeforeTheFirstTickAfterASleepFindsTheGap() {
        now += GAP + 1;
        assertThat(tick.getAsBoolean()).isFalse();
    }

    @Test
    void doubtsUntilTheMembershipIsConfirmed() {
        member = false;
        now += GAP + 1;
        tick.tick();
        now += 1;
        tick.tick();
        assertThat(tick.getAsBoolean()).isFalse();
        assertThat(asked).isEqualTo(2);

        member = true;
        tick.tick();
        assertThat(tick.getAsBoolean()).isTrue();
        tick.tick();
        assertThat(asked).isEqualTo(3);
    }

    @Test
    void aConfirmationThatItSleptThroughCountsForNothing() {
        AwakeTick slow = new AwakeTick(() -> now, () -> {
            now += GAP + 1; // asked, slept, and only then read the answer
            return true;
        });
        now += GAP + 1;
        slow.tick();
        assertThat(slow.getAsBoolean()).isFalse();
    }
}
