package io.weir.demo;

import java.io.PrintStream;

/** A line that each text replaces on a terminal; elsewhere, each text is a line. Thread-safe. */
final class LiveLine implements AutoCloseable {

    private final PrintStream out;
    private final boolean terminal;
    private int width;

    LiveLine(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    synchronized void show(String text) {
        if (terminal) {
            out.print("\r" + text + " ".repeat(Math.max(0, width - text.length())));
            out.flush();
            width = text.length();
        } else {
            out.println(text);
        }
    }

    /** A line that stays, above the live one. */
    synchronized void say(String text) {
        if (terminal && width > 0) {
            out.print("\r" + " ".repeat(width) + "\r");
            width = 0;
        }
        out.println(text);
    }

    /** Leaves the last text where it is. */
    @Override
    public synchronized void close() {
        if (width > 0) {
            out.println();
        }
    }
}
