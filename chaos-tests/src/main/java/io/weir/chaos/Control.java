package io.weir.chaos;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that do nothing but park for as long as a decision may take: what they take longer, this process, machine and
 * kernel take, and no limiter.
 */
final class Control {

    /** About as many as there are threads that decide, so that as many of each are held up. */
    private static final int THREADS = 24;

    private final Durations parked = new Durations();

    /** Starts them, until the process ends. */
    Control(Duration deadline) {
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> park(deadline.toNanos()), "control");
            thread.setDaemon(true);
            thread.start();
        }
    }

    Durations parked() {
        return parked;
    }

    private void park(long nanos) {
        while (true) {
            long start = System.nanoTime();
            for (long left = nanos; left > 0; left = start + nanos - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            parked.add(start, System.nanoTime());
        }
    }
}
