package io.weir.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/** The files that the page is made of: ours, and two of uPlot's, out of the jars on the class path. Read once, when they are loaded. */
final class ConsoleFiles {

    private static final String HTML = "text/html; charset=utf-8";
    private static final String SCRIPT = "text/javascript; charset=utf-8";
    private static final String STYLE = "text/css; charset=utf-8";

    private static final String UPLOT = "META-INF/maven/org.webjars.npm/uplot/pom.properties";

    private final Map<String, ConsoleAnswer> byPath;

    private ConsoleFiles(Map<String, ConsoleAnswer> byPath) {
        this.byPath = byPath;
    }

    /**
     * Reads them all.
     *
     * @throws IllegalStateException if uPlot is not on the class path
     */
    static ConsoleFiles load() {
        String uplot = "META-INF/resources/webjars/uplot/" + versionOfUplot() + "/dist/";
        Map<String, ConsoleAnswer> files = new LinkedHashMap<>();
        files.put("/", file("io/weir/console/index.html", HTML));
        for (String each : List.of("app.js", "detail.js", "table.js", "words.js")) {
            files.put("/" + each, file("io/weir/console/" + each, SCRIPT));
        }
        files.put("/app.css", file("io/weir/console/app.css", STYLE));
        files.put("/uplot.js", file(uplot + "uPlot.iife.min.js", SCRIPT));
        files.put("/uplot.css", file(uplot + "uPlot.min.css", STYLE));
        return new ConsoleFiles(Map.copyOf(files));
    }

    /** The file at a path below where the page is mounted, from {@code /} on. */
    Optional<ConsoleAnswer> at(String path) {
        return Optional.ofNullable(byPath.get(path));
    }

    private static ConsoleAnswer file(String resource, String type) {
        return new ConsoleAnswer(200, Fields.of(type, "no-cache"), read(resource));
    }

    /** Of the jar that is there, which need not be the one that we were built with. */
    private static String versionOfUplot() {
        Properties properties = new Properties();
        try (InputStream in = open(UPLOT)) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version");
    }

    private static byte[] read(String resource) {
        try (InputStream in = open(resource)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static InputStream open(String resource) {
        InputStream in = ConsoleFiles.class.getClassLoader().getResourceAsStream(resource);
        if (in == null) {
            throw new IllegalStateException("the console lacks " + resource
                    + " on its class path: do not exclude org.webjars.npm:uplot from limiter-console's dependencies");
        }
        return in;
    }
}
