package io.weir.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * One line of a comparison: several benchmarks that do the same, each for somebody else.
 *
 * @param name what they do
 * @param headline whether the line that sums up speaks of it
 * @param threads how many do it at once
 * @param entries who does it, in the order of the table's columns
 */
record Row(String name, boolean headline, int threads, List<Entry> entries) {

    /**
     * A benchmark of a row.
     *
     * @param column whom it is for
     * @param method of the benchmark's class
     * @param params of the benchmark, by name
     */
    record Entry(String column, Class<?> benchmark, String method, Map<String, String> params) {

        /** Has JMH run this and nothing else. */
        ChainedOptionsBuilder options() {
            ChainedOptionsBuilder options =
                    new OptionsBuilder().include("^" + Pattern.quote(benchmark.getName() + '.' + method) + "$");
            params.forEach(options::param);
            return options;
        }
    }

    Row {
        entries = List.copyOf(entries);
    }

    /** How a row is called. */
    static String name(String where, String which, int threads, Outcome outcome) {
        return where + ", " + which + (threads == 1 ? "" : ", " + threads + " threads") + ", "
                + outcome.name().toLowerCase(Locale.ROOT);
    }
}
