package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class OwnerClocksTest {

    private static final long MILLI = 1_000_000;
    private static final UUID OWNER = new UUID(1, 1);

    private long now;
    private final long guess = Duration.ofDays(1).toNanos();
    private final OwnerClocks clocks = new OwnerClocks(() -> now, () -> guess);

    @Test
    void guessesBeforeTheFirstAnswer() {
        now = 5 * MILLI;
        long guessed = guess + 50 * MILLI + OwnerClocks.GUESS_ERROR.toNanos();

        assertThat(clocks.inOwnersTime(OWNER, now + 50 * MILLI)).isEqualTo(guessed);
        assertThat(clocks.inOwnersTime(null, now + 50 * MILLI)).isEqualTo(guessed);
    }

    @Test
    void oneAnswerTellsTheOffsetToWithinItsRoundTrip() {
        // The owner is exactly 1 h ahead, and was asked half-way.
        now = 1_002 * MILLI;
        clocks.observe(OWNER, 1_000 * MILLI, 1_002 * MILLI, hour() + 1_001 * MILLI);

        assertThat(clocks.inOwnersTime(OWNER, now)).isBetween(hour() + now, hour() + now + 2 * MILLI);
    }

    @Test
    void neverRefusesTooEarlyAndLittleTooLate() {
        long seed = Long.getLong("weir.seed", System.nanoTime());
        System.out.println("OwnerClocksTest: replay with -Dweir.seed=" + seed);
        Random random = new Random(seed);
        long offset = hour();
        for (int i = 0; i < 10_000; i++) {
            long sent = now;
            long there = sent + random.nextInt((int) (3 * MILLI));
            now = there + random.nextInt((int) (3 * MILLI));
            clocks.observe(OWNER, sent, now, there + offset);

            long inOwnersTime = clocks.inOwnersTime(OWNER, now);
            assertThat(inOwnersTime - (now + offset))
                    .as("seed %s, step %s", seed, i)
                    .isBetween(0L, 6 * MILLI);
            now += random.nextInt((int) (100 * MILLI));
            offset += random.nextInt(3) - 1; // drifts
        }
    }

    /** What the first answer says is true of the instant at which its owner read the clock, and no longer when it comes. */
    @Test
    void allowsForDriftWhileAnAnswerIsOnItsWay() {
        long drift = 2 * MILLI; // of a thousandth in 2 s
        now = 2_000 * MILLI;
        clocks.observe(OWNER, 0, now, hour());
        clocks.observe(OWNER, now - 4 * MILLI, now, hour() + now - drift);

        assertThat(clocks.inOwnersTime(OWNER, now))
                .as("narrowed by the first rather than replaced by the second")
                .isBetween(hour() + now - drift, hour() + now + drift);
        now += 1;
        clocks.observe(OWNER, 0, now, hour() + now + 2 * drift);
        assertThat(clocks.inOwnersTime(OWNER, now)).isLessThan(hour() + now + 3 * drift);
    }

    @Test
    void followsAClockThatWasSet() {
        now = 10 * MILLI;
        clocks.observe(OWNER, 9 * MILLI, now, hour());
        now = 20 * MILLI;
        clocks.observe(OWNER, 19 * MILLI, now, 2 * hour());

        assertThat(clocks.inOwnersTime(OWNER, now)).isBetween(2 * hour(), 2 * hour() + 2 * MILLI);
        now = 30 * MILLI;
        clocks.observe(OWNER, 29 * MILLI, now, hour());
        assertThat(clocks.inOwnersTime(OWNER, now)).isBetween(hour(), hour() + 2 * MILLI);
    }

    @Test
    void guessesThatAnUnknownOwnerIsLikeTheOneHeardLast() {
        now = 10 * MILLI;
        clocks.observe(OWNER, 9 * MILLI, now, hour());
        long known = clocks.inOwnersTime(OWNER, now);

        assertThat(clocks.inOwnersTime(new UUID(2, 2), now)).isEqualTo(known + OwnerClocks.GUESS_ERROR.toNanos());
        assertThat(clocks.inOwnersTime(null, now)).isEqualTo(known + OwnerClocks.GUESS_ERROR.toNanos());
    }

    @Test
    void forgetsAnOwnerThatLeft() {
        now = 10 * MILLI;
        clocks.observe(OWNER, 9 * MILLI, now, hour());
        long known = clocks.inOwnersTime(OWNER, now);
        clocks.forget(OWNER);

        assertThat(clocks.inOwnersTime(OWNER, now)).isEqualTo(known + OwnerClocks.GUESS_ERROR.toNanos());
    }

    private static long hour() {
        return Duration.ofHours(1).toNanos();
    }
}
