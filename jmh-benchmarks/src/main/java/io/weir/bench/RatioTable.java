package io.weir.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Rows of measurements, each put in relation to the first column. */
final class RatioTable {

    /**
     * What was measured of one peer in one row.
     *
     * @param time of a call
     * @param unit of the time
     * @param bytes allocated by a call
     */
    record Cell(double time, String unit, long bytes) {}

    private record Row(String name, boolean headline, List<Cell> cells) {

        double ratio(int column) {
            return cells.get(0).time() / cells.get(column).time();
        }
    }

    private final List<String> columns;
    private final List<Row> rows = new ArrayList<>();

    RatioTable(List<String> columns) {
        this.columns = List.copyOf(columns);
    }

    /**
     * Adds a row; columns beyond its cells stay empty.
     *
     * @param headline whether {@link #summary} speaks of it
     */
    void add(String name, boolean headline, List<Cell> cells) {
        rows.add(new Row(name, headline, List.copyOf(cells)));
    }

    /** The table, readable as text too. */
    String markdown() {
        List<List<String>> lines = new ArrayList<>();
        List<String> header = new ArrayList<>(List.of("call"));
        header.addAll(columns);
        lines.add(header);
        for (Row row : rows) {
            List<String> line = new ArrayList<>(List.of(row.name()));
            for (int column = 0; column < columns.size(); column++) {
                line.add(column < row.cells().size() ? text(row, column) : "");
            }
            lines.add(line);
        }
        int[] widths = new int[columns.size() + 1];
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        StringBuilder table = new StringBuilder();
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                String cell = line.get(i);
                table.append("| ")
                        .append(cell)
                        .append(" ".repeat(widths[i] - cell.length()))
                        .append(' ');
            }
            table.append("|\n");
            if (line == header) {
                for (int width : widths) {
                    table.append('|').append("-".repeat(width + 2));
                }
                table.append("|\n");
            }
        }
        return table.toString();
    }

    /** The ratios of the headline rows, in one line: to the second column, then to the third. */
    String summary() {
        return IntStream.rangeClosed(1, 2)
                .mapToObj(column -> columns.get(0) + "/" + columns.get(column) + " "
                        + rows.stream()
                                .filter(Row::headline)
                                .map(row -> "[" + row.name() + "] " + ratio(row, column))
                                .collect(Collectors.joining(" ")))
                .collect(Collectors.joining("; ", "compare: ", ""));
    }

    private static String text(Row row, int column) {
        Cell cell = row.cells().get(column);
        String measured = String.format(Locale.ROOT, "%.1f %s, %d B", cell.time(), cell.unit(), cell.bytes());
        return column == 0 ? measured : ratio(row, column) + " (" + measured + ")";
    }

    private static String ratio(Row row, int column) {
        double ratio = row.ratio(column);
        return String.format(Locale.ROOT, ratio < 0.1 ? "%.3f" : "%.2f", ratio);
    }
}
