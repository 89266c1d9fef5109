package io.weir.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** All cells as one page that needs nothing else: a table, and a picture of each. */
final class Report {

    private static final String HEAD = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>Weir: chaos</title>
            <style>
            body { font: 14px sans-serif; margin: 2em auto; max-width: 70em; }
            table { border-collapse: collapse; }
            th, td { border-bottom: 1px solid #ccc; padding: 0.3em 0.6em; text-align: left; vertical-align: top; }
            td.number { text-align: right; }
            tr.missed td { background: #fdd; }
            figure { margin: 2em 0; }
            img { max-width: 100%; }
            </style>
            </head>
            <body>
            """;

    private final List<Judged> cells;

    Report(List<Judged> cells) {
        this.cells = cells;
    }

    void write(Path file) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory);
        }
        Files.writeString(file, html());
    }

    String html() throws IOException {
        StringBuilder pictures = new StringBuilder();
        for (Judged each : cells) {
            pictures.append(figure(each));
        }
        return HEAD
                + String.format(
                        Locale.ROOT,
                        """
            <h1>What a cluster grants while it is hurt</h1>
            <p>%d cells, %d within bounds. In each picture the band is the time of the fault, and the dashed line the limit.</p>
            <table>
            <tr><th>cell</th><th>rig</th><th>bound</th><th>granted</th><th>excess</th><th>stall</th><th>detected</th>
            <th>recovered</th><th>p99.9 (control)</th><th></th></tr>
            %s</table>
            %s</body>
            </html>
            """,
                        cells.size(),
                        cells.stream().filter(Judged::isWithinBounds).count(),
                        cells.stream().map(Report::row).collect(Collectors.joining()),
                        pictures);
    }

    private static String row(Judged cell) {
        return String.format(
                Locale.ROOT,
                """
                <tr%s><td><a href="#%s">%s</a></td><td>%s</td><td>%s</td><td class="number">%d</td>
                <td class="number">%d</td><td class="number">%d ms</td><td>%s</td><td>%s</td>
                <td>%.1f ms (%.1f ms)</td><td>%s</td></tr>
                """,
                cell.isWithinBounds() ? "" : " class=\"missed\"",
                anchor(cell),
                escaped(cell.name()),
                cell.rig(),
                escaped(cell.bound().toString()),
                cell.granted(),
                History.excess(cell.verdict()),
                cell.stall().toMillis(),
                Judged.after(cell.detected()),
                Judged.after(cell.recovered()),
                cell.waited().decisionNanos() / 1e6,
                cell.waited().controlNanos() / 1e6,
                cell.isWithinBounds() ? "within" : escaped(String.join("; ", cell.misses())));
    }

    /** The picture as data: what several of them would name alike does not meet. */
    private static String figure(Judged cell) throws IOException {
        String svg = new Picture(cell).svg();
        return String.format(
                """
                <figure id="%s"><img alt="permits granted each second" src="data:image/svg+xml;base64,%s">
                <figcaption>%s</figcaption></figure>
                """,
                anchor(cell),
                Base64.getEncoder().encodeToString(svg.getBytes(StandardCharsets.UTF_8)),
                escaped(cell.toString()));
    }

    private static String anchor(Judged cell) {
        return cell.name().replaceAll("[^A-Za-z0-9]+", "-");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
