package io.weir.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Rows of measurements. The first columns are bases: the others are put in relation to each of them. */
final class RatioTable {

    private static final double MICROS_FROM_NANOS = 10_000;

    /**
     * What was measured of one peer in one row.
     *
     * @param nanos time of a call, as its thread sees it
     * @param bytes allocated by a call
     * @param threads that call at once
     */
    record Cell(double nanos, long bytes, int threads) {

        double callsPerSecond() {
            return threads * 1e9 / nanos;
        }

        @Override
        public String toString() {
            return nanos < MICROS_FROM_NANOS
                    ? String.format(Locale.ROOT, "%.1f ns, %d B", nanos, bytes)
                    : String.format(Locale.ROOT, "%.1f us, %d B", nanos / 1_000, bytes);
        }
    }

    private record Line(String name, boolean headline, Map<String, Cell> cells) {

        /** The time of one column divided by that of another one; null unless both were measured. */
        @Nullable
        String ratio(String column, String other) {
            Cell dividend = cells.get(column);
            Cell divisor = cells.get(other);
            if (dividend == null || divisor == null) {
                return null;
            }
            double ratio = dividend.nanos() / divisor.nanos();
            return String.format(Locale.ROOT, ratio < 0.1 ? "%.3f" : "%.2f", ratio);
        }
    }

    private final List<String> columns;
    private final int bases;
    private final List<Line> lines = new ArrayList<>();

    RatioTable(List<String> columns, int bases) {
        this.columns = List.copyOf(columns);
        this.bases = bases;
    }

    /** Adds a row; columns without a cell stay empty. */
    void add(Row row, Map<String, Cell> cells) {
        lines.add(new Line(row.name(), row.headline(), Map.copyOf(cells)));
    }

    /** The table, readable as text too. */
    String markdown() {
        List<List<String>> texts = new ArrayList<>();
        texts.add(Stream.concat(Stream.of("call"), columns.stream()).toList());
        for (Line line : lines) {
            texts.add(Stream.concat(Stream.of(line.name()), columns.stream().map(column -> text(line, column)))
                    .toList());
        }
        int[] widths = new int[columns.size() + 1];
        texts.forEach(text -> {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], text.get(i).length());
            }
        });
        StringBuilder table = new StringBuilder();
        for (List<String> text : texts) {
            for (int i = 0; i < widths.length; i++) {
                String cell = text.get(i);
                table.append("| ")
                        .append(cell)
                        .append(" ".repeat(widths[i] - cell.length()))
                        .append(' ');
            }
            table.append("|\n");
            if (text == texts.get(0)) {
                for (int width : widths) {
                    table.append('|').append("-".repeat(width + 2));
                }
                table.append("|\n");
            }
        }
        return table.toString();
    }

    /** The ratio of one column to another one in each headline row that has both, in one line. */
    String ratios(String column, String other) {
        return lines.stream()
                .filter(Line::headline)
                .filter(line -> line.ratio(column, other) != null)
                .map(line -> " [" + line.name() + "] " + line.ratio(column, other))
                .collect(Collectors.joining("", column + "/" + other, ""));
    }

    private String text(Line line, String column) {
        Cell cell = line.cells().get(column);
        if (cell == null) {
            return "";
        }
        if (columns.indexOf(column) < bases) {
            return cell.toString();
        }
        String ratios = columns.stream()
                .limit(bases)
                .map(base -> line.ratio(base, column))
                .filter(Objects::nonNull)
                .collect(Collectors.joining(" / "));
        return ratios + " (" + cell + ")";
    }
}
