package io.weir.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What a process has logged. Thread-safe. */
final class Log {

    /** The format of {@link java.util.logging.SimpleFormatter}: level, time, logger, message, stack trace. */
    static final String FORMAT = "%4$s %1$tT.%1$tL %3$s: %5$s%6$s%n";

    private static final List<String> LEVELS = List.of("SEVERE ", "WARNING ", "INFO ", "CONFIG ");

    private final List<String> entries = new ArrayList<>();

    /** The next line: another entry, or more of the last one. */
    synchronized void add(String line) {
        if (entries.isEmpty() || LEVELS.stream().anyMatch(line::startsWith)) {
            entries.add(line);
        } else {
            entries.add(entries.remove(entries.size() - 1) + "\n" + line);
        }
    }

    /** All that was logged, each entry with its stack trace. */
    synchronized List<String> entries() {
        return List.copyOf(entries);
    }

    /** Entries at WARNING or above. */
    List<String> problems() {
        return entries().stream()
                .filter(entry -> Stream.of("SEVERE ", "WARNING ").anyMatch(entry::startsWith))
                .toList();
    }
}
