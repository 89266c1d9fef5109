package io.weir.demo;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Interrupts the thread that made it when the JVM is told to end, and holds the JVM until it is released. */
final class CtrlC {

    /** Then the JVM ends in any case, and the members as they notice. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Thread interrupted = Thread.currentThread();
    private final CountDownLatch released = new CountDownLatch(1);

    private CtrlC() {}

    static CtrlC interruptsThisThread() {
        CtrlC ctrlC = new CtrlC();
        Runtime.getRuntime().addShutdownHook(new Thread(ctrlC::interrupt));
        return ctrlC;
    }

    /** The JVM may end. */
    void release() {
        released.countDown();
    }

    private void interrupt() {
        if (released.getCount() == 0) {
            return;
        }
        interrupted.interrupt();
        try {
            released.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
