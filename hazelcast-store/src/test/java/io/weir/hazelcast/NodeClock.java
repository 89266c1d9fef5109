package io.weir.hazelcast;

import io.weir.store.NanoClock;
import java.util.SplittableRandom;

/** A monotonic clock with an origin and a speed of its own. Whoever reads it may be held up just then. */
final class NodeClock implements NanoClock {

    static final long MAX_DRIFT_PER_MILLION = 200;

    private final SimulatedJvm jvm;
    private final int heldUpPerMillion;
    private final SplittableRandom random;
    private final long origin;
    private final long drift;

    NodeClock(SimulatedJvm jvm, int heldUpPerMillion, SplittableRandom random) {
        this.jvm = jvm;
        this.heldUpPerMillion = heldUpPerMillion;
        this.random = random;
        this.origin = random.nextLong(-1L << 50, 1L << 50);
        this.drift = random.nextLong(-MAX_DRIFT_PER_MILLION, MAX_DRIFT_PER_MILLION + 1);
    }

    @Override
    public long nanoTime() {
        long shown = shows(jvm.instantNanos());
        if (heldUpPerMillion > 0 && random.nextInt(1_000_000) < heldUpPerMillion) {
            jvm.holdUp(random.nextLong(1L << random.nextInt(15, 30)));
        }
        return shown;
    }

    /** What it shows at an instant of true time. */
    long shows(long trueNanos) {
        return origin + trueNanos + trueNanos / 1_000_000 * drift;
    }
}
