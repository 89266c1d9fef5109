package io.weir.demo;

import java.io.PrintStream;

/** A line that each text replaces on a terminal; elsewhere, each text is a line. */
final class LiveLine implements AutoCloseable {

    private final PrintStream out;
    private final boolean terminal;
    private int width;

    LiveLine(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    void show(String text) {
        if (terminal) {
            out.print("\r" + text + " ".repeat(Math.max(0, width - text.length())));
            out.flush();
            width = text.length();
        } else {
            out.println(text);
        }
    }

    /** Leaves the last text where it is. */
    @Override
    public void close() {
        if (width > 0) {
            out.println();
        }
    }
}
