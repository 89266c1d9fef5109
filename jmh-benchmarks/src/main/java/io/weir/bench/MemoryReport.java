package io.weir.bench;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Says what is measured as soon as it is known, and in the end what was left behind. */
final class MemoryReport {

    private static final Duration POLL = Duration.ofSeconds(1);

    /** A wait that takes longer says each time how it goes. */
    private static final Duration PROGRESS = Duration.ofSeconds(5);

    private final PrintStream out;
    private final List<String> leftBehind = new ArrayList<>();

    MemoryReport(PrintStream out) {
        this.out = out;
    }

    void say(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }

    /**
     * Waits until nothing is left, and says how it goes; what is left when patience ends is left behind.
     *
     * @param what is counted
     */
    void awaitNone(String what, LongSupplier left, Duration patience) throws InterruptedException {
        long began = System.nanoTime();
        long waited = 0;
        long sayNext = PROGRESS.toNanos();
        long some = left.getAsLong();
        while (some > 0 && waited < patience.toNanos()) {
            TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
            some = left.getAsLong();
            waited = System.nanoTime() - began;
            if (waited >= sayNext) {
                say("  after %d s: %,d %s", TimeUnit.NANOSECONDS.toSeconds(waited), some, what);
                sayNext = waited + PROGRESS.toNanos();
            }
        }
        requireAtMost(0, some, what);
    }

    /** What is more than may be is left behind. */
    void requireAtMost(long most, long some, String what) {
        if (some > most) {
            leftBehind.add(String.format(Locale.ROOT, "%,d %s", some, what));
        }
    }

    /**
     * Prints what it comes to.
     *
     * @return what a process that has found this out ends with
     */
    int judge() {
        say(
                "memory: %s",
                leftBehind.isEmpty() ? "left nothing behind" : "LEFT BEHIND " + String.join(", ", leftBehind));
        return leftBehind.isEmpty() ? 0 : 1;
    }
}
