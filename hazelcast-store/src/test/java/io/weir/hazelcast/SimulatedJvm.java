package io.weir.hazelcast;

/**
 * A process that can be paused, held up in the middle of what it does, and killed. Whatever happens in it, happens in
 * {@link #run}.
 */
final class SimulatedJvm {

    private final Timeline timeline;
    private long sleptAtNanos;
    private long awakeAtNanos;
    private long heldUpNanos;
    private boolean running;
    private boolean killed;

    SimulatedJvm(Timeline timeline) {
        this.timeline = timeline;
    }

    /** Runs a task now; or when this process wakes, after what has come before; or never, if it was killed. */
    void run(Runnable task) {
        if (killed) {
            return;
        }
        if (timeline.nanoTime() < awakeAtNanos) {
            timeline.at(awakeAtNanos, () -> run(task));
            return;
        }
        if (running) {
            task.run();
            return;
        }
        running = true;
        try {
            task.run();
        } finally {
            running = false;
            if (heldUpNanos > 0) {
                sleepUntil(timeline.nanoTime() + heldUpNanos);
            }
            heldUpNanos = 0;
        }
    }

    void pause(long nanos) {
        sleepUntil(timeline.nanoTime() + nanos);
    }

    private void sleepUntil(long nanos) {
        if (timeline.nanoTime() >= awakeAtNanos) {
            sleptAtNanos = timeline.nanoTime();
        }
        awakeAtNanos = Math.max(awakeAtNanos, nanos);
    }

    /** In the middle of a task: what it does from here on, it does so much later. */
    void holdUp(long nanos) {
        if (running) {
            heldUpNanos += nanos;
        }
    }

    /** The instant at which the running task is, which may be later than the one at which it began. */
    long instantNanos() {
        return timeline.nanoTime() + heldUpNanos;
    }

    /** The instant at which the running task began. */
    long begunAtNanos() {
        return timeline.nanoTime();
    }

    /** When it has woken last, or will have. */
    long awakeAtNanos() {
        return awakeAtNanos;
    }

    /** What it knows of the world is as of this instant, if news take {@code delayNanos}. */
    long knowsAsOfNanos(long delayNanos) {
        boolean justWoken = instantNanos() - awakeAtNanos < delayNanos;
        return Math.min(instantNanos() - delayNanos, justWoken ? sleptAtNanos : Long.MAX_VALUE);
    }

    void kill() {
        killed = true;
    }

    boolean isKilled() {
        return killed;
    }
}
