package io.weir.bench;

import de.erichseifert.vectorgraphics2d.Document;
import de.erichseifert.vectorgraphics2d.Processors;
import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.Color;
import java.awt.Font;
import java.awt.geom.Rectangle2D;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.NumberFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jfree.chart.ChartFactory;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.AxisLocation;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.labels.ItemLabelAnchor;
import org.jfree.chart.labels.ItemLabelPosition;
import org.jfree.chart.labels.StandardCategoryItemLabelGenerator;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.title.TextTitle;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.category.DefaultCategoryDataset;

/** Calls a second as bars: a group for each peer, a bar for each kind of call, on a scale where each step is ten times more. */
final class PeerPicture {

    private static final int WIDTH = 900;
    private static final int HEIGHT_OF_FRAME = 120;
    private static final int HEIGHT_OF_PEER = 60;

    private static final double LEAST = 1_000;

    private static final String REMARK =
            "Logarithmic scale. bucket4j delaying may grant more than the limit; Redis has no replica.";

    private static final List<Color> COLORS =
            List.of(new Color(0x1f, 0x77, 0xb4), new Color(0xf2, 0x8e, 0x2b), new Color(0x76, 0xb7, 0xb2));

    private final DefaultCategoryDataset bars = new DefaultCategoryDataset();

    /** Adds the bars of one kind of call. */
    void add(String kind, Map<String, RatioTable.Cell> cells) {
        cells.forEach((peer, cell) -> bars.addValue(cell.callsPerSecond(), kind, peer));
    }

    /** Writes the picture, as SVG. */
    void write(Path file) throws IOException {
        int height = HEIGHT_OF_FRAME + HEIGHT_OF_PEER * bars.getColumnCount();
        VectorGraphics2D graphics = new VectorGraphics2D();
        chart().draw(graphics, new Rectangle2D.Double(0, 0, WIDTH, height));
        Document svg = Processors.get("svg").getDocument(graphics.getCommands(), new PageSize(WIDTH, height));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        svg.writeTo(out);
        // Names the font of the machine that draws; others fall back to one with serifs, which is wider.
        String text = out.toString(StandardCharsets.UTF_8).replaceAll("font-family:&quot;[^&]*&quot;", "$0,sans-serif");
        Files.writeString(file, text);
    }

    private JFreeChart chart() {
        JFreeChart chart = ChartFactory.createBarChart(
                "Granted calls a second, on a key that another member owns",
                null,
                null,
                bars,
                PlotOrientation.HORIZONTAL,
                true,
                false,
                false);
        chart.setBackgroundPaint(Color.WHITE);
        chart.getTitle().setFont(font(16));
        chart.addSubtitle(new TextTitle(REMARK, font(11)));
        chart.setPadding(new RectangleInsets(10, 10, 10, 40));
        chart.getLegend().setItemFont(font(12));
        chart.getLegend().setFrame(BlockBorder.NONE);
        CategoryPlot plot = chart.getCategoryPlot();
        plot.setBackgroundPaint(Color.WHITE);
        plot.setOutlineVisible(false);
        plot.setRangeGridlinePaint(Color.LIGHT_GRAY);
        plot.setRangeAxis(axis());
        plot.getDomainAxis().setTickLabelFont(font(12));
        plot.getRangeAxis().setTickLabelFont(font(11));
        plot.setRangeAxisLocation(AxisLocation.BOTTOM_OR_LEFT);
        plot.setAxisOffset(RectangleInsets.ZERO_INSETS);
        plot.setRenderer(renderer());
        return chart;
    }

    private static Font font(int size) {
        return new Font(Font.SANS_SERIF, Font.PLAIN, size);
    }

    private LogAxis axis() {
        double most = LEAST;
        for (int row = 0; row < bars.getRowCount(); row++) {
            for (int column = 0; column < bars.getColumnCount(); column++) {
                Number value = bars.getValue(row, column);
                most = value == null ? most : Math.max(most, value.doubleValue());
            }
        }
        LogAxis axis = new LogAxis(null);
        axis.setSmallestValue(LEAST);
        axis.setRange(LEAST, most * 3); // leaves room for the longest bar's label
        axis.setTickUnit(new NumberTickUnit(1));
        axis.setNumberFormatOverride(NumberFormat.getIntegerInstance(Locale.ROOT));
        return axis;
    }

    private BarRenderer renderer() {
        BarRenderer renderer = new BarRenderer();
        renderer.setBarPainter(new StandardBarPainter());
        renderer.setShadowVisible(false);
        renderer.setItemMargin(0);
        renderer.setDefaultItemLabelFont(font(11));
        renderer.setDefaultPositiveItemLabelPosition(
                new ItemLabelPosition(ItemLabelAnchor.OUTSIDE3, TextAnchor.CENTER_LEFT));
        renderer.setDefaultItemLabelsVisible(true);
        renderer.setDefaultItemLabelGenerator(
                new StandardCategoryItemLabelGenerator("{2}", NumberFormat.getIntegerInstance(Locale.ROOT)));
        for (int row = 0; row < bars.getRowCount(); row++) {
            renderer.setSeriesPaint(row, COLORS.get(row % COLORS.size()));
        }
        return renderer;
    }
}
