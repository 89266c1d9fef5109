package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SteadyClockTest {

    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final long TICK = 100 * MILLI;
    private static final long PATIENCE = SteadyClock.LATEST_HEARTBEAT.toNanos();

    private long now = 5;
    private long cluster = 1_800_000_000 * SECOND;
    private final SteadyClock clock = new SteadyClock(() -> now, () -> cluster);

    @Test
    void startsAtTheClustersTime() {
        assertThat(clock.nanoTime()).isEqualTo(cluster);
    }

    /** Time as the permits are earned by it: in any span, what has passed and one part in ten thousand. */
    @Test
    void doesNotJumpWithTheCluster() {
        long seed = Long.getLong("weir.seed", System.nanoTime());
        System.out.println("SteadyClockTest: replay with -Dweir.seed=" + seed);
        Random random = new Random(seed);
        long truth = cluster;
        for (int i = 0; i < 10_000; i++) {
            long before = clock.nanoTime();
            now += TICK;
            truth += TICK;
            cluster = truth - random.nextInt((int) (20 * MILLI)); // a heartbeat took so long
            clock.adjust();
            assertThat(clock.nanoTime() - before)
                    .as("seed %s, step %s", seed, i)
                    .isBetween(TICK - TICK / 10_000, TICK + TICK / 10_000);
        }
        assertThat(clock.nanoTime()).isBetween(truth - 20 * MILLI, truth);
    }

    @Test
    void followsAClusterThatIsALittleFaster() {
        for (int i = 0; i < 100_000; i++) {
            now += TICK;
            cluster += TICK + TICK / 20_000; // 50 parts in a million
            clock.adjust();
        }
        assertThat(cluster - clock.nanoTime()).isBetween(0L, MILLI);
    }

    @Test
    void isSetWithAClusterThatWasSetForward() {
        for (long step : new long[] {3_600 * SECOND, 2 * SECOND}) {
            pass(TICK);
            cluster += step;
            clock.adjust();
            assertThat(clock.nanoTime()).isEqualTo(cluster);
        }
    }

    @Test
    void isSetWithAClusterThatWasSetBackOnceThatHasLasted() {
        cluster -= 3_600 * SECOND;
        long untilSet = 0;
        while (clock.nanoTime() > cluster) {
            pass(TICK);
            clock.adjust();
            untilSet += TICK;
        }
        assertThat(clock.nanoTime()).isEqualTo(cluster);
        assertThat(untilSet).isBetween(PATIENCE, PATIENCE + 2 * TICK);
    }

    @Test
    void doesNotGoBackWithALateHeartbeat() {
        for (int i = 0; i < 10; i++) {
            long before = clock.nanoTime();
            pass(4 * SECOND); // paused, and then there is a heartbeat from the beginning of that
            cluster -= 4 * SECOND;
            clock.adjust();
            pass(TICK);
            cluster += 4 * SECOND;
            clock.adjust();
            long passed = 4 * SECOND + TICK;
            assertThat(clock.nanoTime() - before).isBetween(passed - passed / 10_000, passed + passed / 10_000);
        }
    }

    @Test
    void knowsNothingOfATimeThatItSlept() {
        pass(2 * PATIENCE);
        cluster -= PATIENCE;
        long before = clock.nanoTime();
        clock.adjust();
        assertThat(before - clock.nanoTime()).isBetween(0L, PATIENCE / 1_000);
    }

    @Test
    void isNotMovedByAThreadThatIsHeldUpWhileItLooks() {
        SteadyClock heldUp = new SteadyClock(() -> now, () -> {
            now += 2 * SECOND; // looked at the one clock, slept, and then at the other
            cluster += 2 * SECOND;
            return cluster;
        });
        long before = heldUp.nanoTime();
        now += TICK;
        cluster += TICK;
        heldUp.adjust();

        assertThat(heldUp.nanoTime() - before).isEqualTo(2 * SECOND + TICK);
    }

    @Test
    void isDrawnOverSlowlyByAMasterThatDiffersALittle() {
        cluster += Duration.ofMillis(900).toNanos();
        long before = clock.nanoTime();
        now += TICK;
        clock.adjust();
        assertThat(clock.nanoTime() - before).isEqualTo(TICK + TICK / 10_000);
    }

    private void pass(long nanos) {
        now += nanos;
        cluster += nanos;
    }
}
