package io.weir.console.browser;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.stream.StreamSupport;
import org.openqa.selenium.By;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.io.FileHandler;
import org.openqa.selenium.json.Json;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A headless Chromium with a profile of its own, as Debian installs it. Not thread-safe. */
final class Chromium implements AutoCloseable {

    private static final Path BROWSER = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(20);

    private final Path profile;
    private final ChromeDriver driver;

    private Chromium(Path profile, ChromeDriver driver) {
        this.profile = profile;
        this.driver = driver;
    }

    /** Starts one; where there is none the test that asks does not run, and says so. */
    static Chromium start() {
        for (Path each : List.of(BROWSER, DRIVER)) {
            assumeTrue(
                    Files.isExecutable(each),
                    () -> "no " + each + ", so the console is looked at by no browser:"
                            + " on Debian, apt-get install chromium chromium-driver");
        }
        try {
            Path profile = Files.createTempDirectory("weir-console");
            LoggingPreferences logs = new LoggingPreferences();
            logs.enable(LogType.BROWSER, Level.ALL);
            logs.enable(LogType.PERFORMANCE, Level.ALL);
            ChromeOptions options = new ChromeOptions()
                    .setBinary(BROWSER.toFile())
                    .addArguments(
                            "--headless=new",
                            "--no-sandbox",
                            "--disable-gpu",
                            "--disable-quic",
                            "--disable-dev-shm-usage",
                            "--no-first-run",
                            "--disable-background-networking",
                            "--disable-component-update",
                            "--disable-sync",
                            "--user-data-dir=" + profile);
            options.setCapability("goog:loggingPrefs", logs);
            ChromeDriverService service = new ChromeDriverService.Builder()
                    .usingDriverExecutable(new File(DRIVER.toString()))
                    .build();
            return new Chromium(profile, new ChromeDriver(service, options));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Loads a page, with nothing of the one before it. */
    void open(String url) {
        driver.get("about:blank");
        media("", "");
        size(1280, 900);
        drain(LogType.BROWSER);
        drain(LogType.PERFORMANCE);
        driver.get(url);
    }

    /** Of the page, in CSS pixels: also less than a window can have. */
    void size(int width, int height) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** A preference of the viewer, such as {@code prefers-color-scheme}. */
    void media(String name, String value) {
        List<Map<String, String>> features = name.isEmpty() ? List.of() : List.of(Map.of("name", name, "value", value));
        driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", features));
    }

    /** What a function of the page returns. */
    Object js(String body, Object... arguments) {
        return driver.executeScript(body, arguments);
    }

    WebElement find(String selector) {
        return driver.findElement(By.cssSelector(selector));
    }

    String text(String selector) {
        return String.valueOf(js("return document.querySelector(arguments[0])?.innerText ?? ''", selector));
    }

    /** Of all elements, in the order of the page. */
    List<String> texts(String selector) {
        return driver.findElements(By.cssSelector(selector)).stream()
                .map(WebElement::getText)
                .toList();
    }

    /** Waits until the text that is shown contains another. */
    void awaitText(String selector, String part) {
        await(selector + " to say \"" + part + "\"", () -> text(selector).contains(part), () -> text(selector));
    }

    void await(String what, Condition condition) {
        await(what, condition, () -> text("body"));
    }

    private void await(String what, Condition condition, Supplier<String> instead) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!holds(condition)) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited for " + what + " but there was: " + instead.get());
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
    }

    private static boolean holds(Condition condition) {
        try {
            return condition.holds();
        } catch (StaleElementReferenceException e) { // the page has replaced it meanwhile
            return false;
        }
    }

    /** Something that becomes true. */
    @FunctionalInterface
    interface Condition {
        boolean holds();
    }

    /** Has the page ask for data now rather than within a second, as it does when it comes into view. */
    void askNow() {
        js("document.dispatchEvent(new Event('visibilitychange'))");
    }

    /** Presses keys where the focus is. */
    void press(CharSequence... keys) {
        driver.switchTo().activeElement().sendKeys(keys);
    }

    WebElement focused() {
        return driver.switchTo().activeElement();
    }

    /** What the page's console was told of since it was opened: warnings, errors, refusals by the policy. */
    List<String> complaints() {
        return drain(LogType.BROWSER).stream()
                .filter(each -> each.getLevel().intValue() >= Level.WARNING.intValue())
                .map(LogEntry::getMessage)
                .toList();
    }

    /** The addresses that were asked for since the page was opened, data in them aside. */
    List<String> requested() {
        return drain(LogType.PERFORMANCE).stream()
                .map(LogEntry::getMessage)
                .filter(each -> each.contains("\"Network.requestWillBeSent\""))
                .map(Chromium::urlOf)
                .filter(each -> !each.startsWith("data:") && !each.startsWith("about:"))
                .toList();
    }

    private static String urlOf(String message) {
        Map<?, ?> event = (Map<?, ?>) ((Map<?, ?>) new Json().toType(message, Map.class)).get("message");
        return String.valueOf(((Map<?, ?>) ((Map<?, ?>) event.get("params")).get("request")).get("url"));
    }

    private List<LogEntry> drain(String log) {
        return StreamSupport.stream(driver.manage().logs().get(log).spliterator(), false)
                .toList();
    }

    /** What axe finds wrong that is serious or critical; the page's policy does not hold for what a driver runs. */
    List<String> barriers(String axe) {
        js(axe);
        Object found = driver.executeAsyncScript("const done = arguments[arguments.length - 1];"
                + "axe.run().then(results => done(results.violations"
                + ".filter(each => each.impact === 'serious' || each.impact === 'critical')"
                + ".map(each => each.id + ': ' + each.nodes.map(node => node.html + ' ' + node.failureSummary).join('; '))))"
                + ".catch(error => done(['axe failed: ' + error]));");
        return ((List<?>) found).stream().map(String::valueOf).toList();
    }

    /** What is seen of the page, as a PDF of one page without margins: drawn, and not of dots. */
    byte[] drawing(double widthInches, double heightInches) {
        driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("media", "screen"));
        Map<String, Object> paper = new HashMap<>(Map.of(
                "paperWidth",
                widthInches,
                "paperHeight",
                heightInches,
                "printBackground",
                true,
                "pageRanges",
                "1",
                "scale",
                0.9));
        for (String each : List.of("marginTop", "marginBottom", "marginLeft", "marginRight")) {
            paper.put(each, 0);
        }
        Object drawn = driver.executeCdpCommand("Page.printToPDF", paper).get("data");
        return Base64.getDecoder().decode(String.valueOf(drawn));
    }

    @Override
    public void close() {
        driver.quit();
        FileHandler.delete(profile.toFile());
    }
}
