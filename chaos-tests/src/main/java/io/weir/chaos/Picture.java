package io.weir.chaos;

import de.erichseifert.vectorgraphics2d.Document;
import de.erichseifert.vectorgraphics2d.Processors;
import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.geom.Rectangle2D;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Predicate;
import org.jfree.chart.ChartFactory;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.plot.IntervalMarker;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.ui.Layer;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/** Permits granted each second, by whom, against the limit; with the time of the fault as a band. */
final class Picture {

    private static final int WIDTH = 900;
    private static final int HEIGHT = 240;
    private static final long SLICE = Duration.ofMillis(250).toNanos();

    /** So that a fault of a moment can be seen. */
    private static final double NARROWEST_SECONDS = 0.05;

    private final Judged cell;

    Picture(Judged cell) {
        this.cell = cell;
    }

    String svg() throws IOException {
        VectorGraphics2D graphics = new VectorGraphics2D();
        chart().draw(graphics, new Rectangle2D.Double(0, 0, WIDTH, HEIGHT));
        Document svg = Processors.get("svg").getDocument(graphics.getCommands(), new PageSize(WIDTH, HEIGHT));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        svg.writeTo(out);
        // Names the font of the machine that draws; others fall back to one with serifs, which is wider.
        return out.toString(StandardCharsets.UTF_8).replaceAll("font-family:&quot;[^&]*&quot;", "$0,sans-serif");
    }

    private JFreeChart chart() {
        XYSeriesCollection lines = new XYSeriesCollection();
        lines.addSeries(perSecond("by the owner, or leased from it", each -> !each.isByPolicy()));
        lines.addSeries(perSecond("by the failure policy", Outcome::isByPolicy));
        JFreeChart chart = ChartFactory.createXYLineChart(
                cell.name(), "seconds", "permits a second", lines, PlotOrientation.VERTICAL, true, false, false);
        chart.setBackgroundPaint(Color.WHITE);
        chart.getTitle().setFont(font(14));
        chart.getLegend().setItemFont(font(11));
        chart.getLegend().setFrame(BlockBorder.NONE);
        XYPlot plot = chart.getXYPlot();
        plot.setBackgroundPaint(Color.WHITE);
        plot.setOutlineVisible(false);
        plot.setRangeGridlinePaint(Color.LIGHT_GRAY);
        plot.setDomainGridlinesVisible(false);
        plot.setAxisOffset(RectangleInsets.ZERO_INSETS);
        plot.getDomainAxis().setTickLabelFont(font(11));
        plot.getDomainAxis().setLabelFont(font(11));
        plot.getRangeAxis().setTickLabelFont(font(11));
        plot.getRangeAxis().setLabelFont(font(11));
        plot.getRenderer().setSeriesPaint(0, new Color(0x1f, 0x77, 0xb4));
        plot.getRenderer().setSeriesPaint(1, new Color(0xf2, 0x8e, 0x2b));
        plot.addDomainMarker(faultsSpan(), Layer.BACKGROUND);
        plot.addRangeMarker(limit());
        return chart;
    }

    private IntervalMarker faultsSpan() {
        double from = secondsOf(cell.course().faultBegan());
        double to = Math.max(from + NARROWEST_SECONDS, secondsOf(cell.course().faultEnded()));
        return new IntervalMarker(from, to, new Color(0xff, 0xdd, 0xdd));
    }

    private ValueMarker limit() {
        Course course = cell.course();
        double perSecond =
                (double) course.limit().refill() / course.limit().period().toNanos() * 1e9 * course.keys();
        float[] dashes = {6, 4};
        return new ValueMarker(
                perSecond,
                Color.DARK_GRAY,
                new BasicStroke(1, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 10, dashes, 0));
    }

    private XYSeries perSecond(String name, Predicate<Outcome> whose) {
        long from = firstNanos();
        long last = cell.course().outcomes().stream()
                .mapToLong(Outcome::endNanos)
                .max()
                .orElse(from);
        long[] permits = new long[1 + (int) ((last - from) / SLICE)];
        cell.course().outcomes().stream()
                .filter(each -> each.granted() && whose.test(each))
                .forEach(each -> permits[(int) ((each.endNanos() - from) / SLICE)] += each.permits());
        XYSeries series = new XYSeries(name);
        for (int i = 0; i < permits.length; i++) {
            series.add((i + 0.5) * SLICE / 1e9, permits[i] * 1e9 / SLICE);
        }
        return series;
    }

    private double secondsOf(long nanos) {
        return (nanos - firstNanos()) / 1e9;
    }

    private long firstNanos() {
        return cell.course().outcomes().stream()
                .mapToLong(Outcome::endNanos)
                .min()
                .orElse(cell.course().faultBegan());
    }

    private static Font font(int size) {
        return new Font(Font.SANS_SERIF, Font.PLAIN, size);
    }
}
