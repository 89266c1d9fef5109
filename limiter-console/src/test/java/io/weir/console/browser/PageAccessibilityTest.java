package io.weir.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** That the page can be used by everybody, as far as axe can tell; and that it goes by what viewers prefer. */
@ExtendWith(Browsing.class)
class PageAccessibilityTest {

    private static final String AXE = axe();

    @ParameterizedTest
    @CsvSource({"light, 1280", "dark, 1280", "light, 360", "dark, 360"})
    void hasNoBarriers(String scheme, int width, Chromium page) {
        MadeUp data = new MadeUp(MadeUp.healthy());
        try (PageServer server = PageServer.of(data)) {
            page.open(server.url());
            page.size(width, 900);
            page.media("prefers-color-scheme", scheme);
            page.awaitText("#rows", "per-client");
            assertThat(page.barriers(AXE)).as("healthy").isEmpty();

            data.say(MadeUp.degraded());
            page.askNow();
            page.awaitText("#sentence", "unreachable");
            assertThat(page.barriers(AXE)).as("degraded").isEmpty();

            page.js("location.hash = 'limit=per-client'");
            page.awaitText("#facts", "customer-4711");
            assertThat(page.barriers(AXE)).as("a limit opened").isEmpty();

            page.find("#close").click();
            page.find("#pause").click();
            page.awaitText("#sentence", "Paused");
            assertThat(page.barriers(AXE)).as("paused").isEmpty();
        }
    }

    @Test
    void goesByTheSchemeThatIsPreferred(Chromium page) {
        try (PageServer server = PageServer.of(new MadeUp(MadeUp.healthy()))) {
            page.open(server.url());
            String light = page.find("body").getCssValue("background-color");

            page.media("prefers-color-scheme", "dark");

            assertThat(page.find("body").getCssValue("background-color")).isNotEqualTo(light);
        }
    }

    @Test
    void movesNothingForWhoPrefersThat(Chromium page) {
        try (PageServer server = PageServer.of(new MadeUp(MadeUp.healthy()))) {
            page.open(server.url());
            page.awaitText("#rows", "per-client");
            assertThat(page.find("#rows .gauge i").getCssValue("transition-duration"))
                    .isEqualTo("0.3s");

            page.media("prefers-reduced-motion", "reduce");

            assertThat(page.js("return document.getAnimations().length + [...document.querySelectorAll('*')]"
                            + ".filter(each => parseFloat(getComputedStyle(each).transitionDuration) > 0).length"))
                    .isEqualTo(0L);
        }
    }

    @Test
    void saysInWordsWhatItSaysInColour(Chromium page) {
        try (PageServer server = PageServer.of(new MadeUp(MadeUp.degraded()))) {
            page.open(server.url());
            page.media("forced-colors", "active");
            page.awaitText("#rows", "per-client");

            assertThat(page.texts("#rows .word")).containsExactly("degraded", "degraded", "as written");
            assertThat(page.texts("#members .word")).containsExactly("reachable", "reachable", "unreachable");
            assertThat(page.texts("#rows .from"))
                    .allSatisfy(each -> assertThat(each).matches("[a-z].* \\d+ %.*"));
            assertThat(page.texts("#rows .value"))
                    .allSatisfy(each -> assertThat(each).matches("\\d+ %"));
        }
    }

    private static String axe() {
        ClassLoader loader = PageAccessibilityTest.class.getClassLoader();
        try (InputStream about = loader.getResourceAsStream("META-INF/maven/org.webjars.npm/axe-core/pom.properties")) {
            Properties properties = new Properties();
            properties.load(Objects.requireNonNull(about, "axe-core"));
            String path = "META-INF/resources/webjars/axe-core/" + properties.getProperty("version") + "/axe.min.js";
            try (InputStream script = loader.getResourceAsStream(path)) {
                return new String(Objects.requireNonNull(script, path).readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
