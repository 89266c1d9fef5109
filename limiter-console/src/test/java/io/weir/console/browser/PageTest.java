package io.weir.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** The page, given data that a test makes up. */
@ExtendWith(Browsing.class)
class PageTest {

    private static final String MARKUP =
            "<img src=x onerror=\"window.hit=1\"><script>window.hit=2</script><b>bold</b>&amp;";

    /** Which of the two lines has left a pixel on the canvas, however faint at its edges. */
    private static final String COLOURS_DRAWN = """
            const canvas = document.querySelector('#chart canvas');
            const bytes = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            return ['granted', 'denied'].filter((each) => {
              const colour = getComputedStyle(document.querySelector(`#legend .${each} i`)).color.match(/[0-9]+/g);
              for (let i = 0; i < bytes.length; i += 4) {
                if (bytes[i + 3] > 60 && colour.every((part, at) => Math.abs(part - bytes[i + at]) < 8)) return true;
              }
              return false;
            });
            """;

    private final MadeUp data = new MadeUp(MadeUp.healthy());
    private final PageServer server = PageServer.of(data);
    private final Chromium page;

    PageTest(Chromium page) {
        this.page = page;
    }

    @BeforeEach
    void open() {
        page.open(server.url());
        page.awaitText("#members", "10.0.3.11:5701");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void saysThatAllLimitsAreEnforced() {
        assertThat(page.text("#sentence")).isEqualTo("All limits are enforced as written on 3 of 3 nodes.");
        assertThat(page.js("return document.title")).isEqualTo("Weir");
    }

    @Test
    void saysWhoIsUnreachableAndWhatThatMeans() {
        say(MadeUp.degraded());

        page.awaitText(
                "#sentence", "Member 10.0.3.13:5701 unreachable for 12 s: 2 limits are answered by their policy.");
        assertThat(page.text("#members")).contains("unreachable\nfor 12 s", "8 calls in a row had no answer");
        assertThat(page.texts("#rows .word")).containsExactly("degraded", "degraded", "as written");
        assertThat(page.js("return document.title")).isEqualTo("Degraded – Weir");
    }

    @Test
    void doesNotReadOutSecondsThatTick() {
        say(MadeUp.degraded());
        page.awaitText("#sentence", "for 12 s");

        assertThat(page.text("#sentence [aria-hidden=true]").strip()).isEqualTo("for 12 s");
        assertThat(page.js("return document.querySelectorAll('[role=status], [aria-live]').length"))
                .isEqualTo(1L);
    }

    @Test
    void saysThatALimitIsSwitchedOff() {
        say(MadeUp.of(List.of(MadeUp.limit("log-in", 1, 0), MadeUp.off(MadeUp.limit("search", 1, 0))), 2));

        page.awaitText("#sentence", "1 of 2 limits is enforced as written on 1 of 1 node, 1 is switched off.");
        assertThat(page.texts("#rows .word")).containsExactly("as written", "switched off");
    }

    @Test
    void makesUpNoNumbers() {
        say(MadeUp.of(List.of(MadeUp.unknown("new")), 1));

        page.awaitText("#rows", "new");
        assertThat(page.text("#rows .granted")).isEqualTo("–");
        assertThat(page.text("#rows .denied")).isEqualTo("–");
        assertThat(page.text("#rows .headroom")).isEqualTo("–");
        assertThat(page.text("#rows .sources")).isEqualTo("not known yet");
    }

    @Test
    void saysThatThereAreNoLimits() {
        say(MadeUp.of(List.of(), 0));

        page.awaitText("#none", "No node has a limit yet");
        assertThat(page.text("#sentence")).isEqualTo("No limits yet on 1 of 1 node.");
        assertThat(page.find("#limits").isDisplayed()).isFalse();
    }

    @Test
    void saysThatTheConnectionIsLostUntilItIsBack() {
        go(MadeUp.Way.HANGS_UP);

        page.awaitText("#sentence", "Connection lost, last seen at ");
        assertThat(page.text("#sentence")).endsWith("The node does not answer.");
        assertThat(page.text("#rows")).as("what was seen last").contains("per-client");

        go(MadeUp.Way.ANSWERS);
        page.awaitText("#sentence", "All limits are enforced");
    }

    @Test
    void saysWhyThereIsNothingToSee() {
        go(MadeUp.Way.IS_ANOTHER);
        page.awaitText("#sentence", "What answers is not this console");

        go(MadeUp.Way.HAS_NOTHING);
        page.awaitText("#sentence", "The node has nothing to show yet");
    }

    @Test
    void standsStillWhilePaused() {
        page.find("#pause").click();
        page.awaitText("#sentence", "Paused: this is how it was at ");
        page.js("fetch('data?of=the-test')"); // after whatever was on its way
        page.await("the question of the test", () -> data.queries().contains("of=the-test"));
        int asked = data.queries().size();
        say(MadeUp.degraded());
        page.js("fetch('data?once=more')"); // after whatever the page may have asked itself
        page.await("the other question", () -> data.queries().contains("once=more"));

        assertThat(data.queries().subList(asked, data.queries().size())).containsExactly("once=more");
        assertThat(page.find("#pause").getDomAttribute("aria-pressed")).isEqualTo("true");
        assertThat(page.text("#sentence")).startsWith("Paused");
        assertThat(page.text("#rows")).contains("uploads").doesNotContain("degraded");

        page.find("#pause").click();
        page.awaitText("#sentence", "unreachable");
    }

    @Test
    void showsTheMostDeniedOfAThousandAndFindsTheRest() {
        say(MadeUp.of(
                IntStream.range(0, 1_000)
                        .mapToObj(i -> MadeUp.limit("limit-" + i, 2_000 - i, 1_000 - i))
                        .toList(),
                1_000));
        page.awaitText("#count", "50 of 1,000");
        assertThat(page.texts("#rows .name")).hasSize(50).startsWith("limit-0", "limit-1");

        page.find("#more").click();
        page.awaitText("#count", "200 of 1,000");
        assertThat(page.find("#more").isDisplayed()).isFalse();

        page.find("#filter").sendKeys("limit-99");
        page.awaitText("#count", "11 of 11 that match, of 1,000");
        assertThat(page.texts("#rows .name"))
                .startsWith("limit-99", "limit-990")
                .hasSize(11);

        page.find("#filter").sendKeys("<b>");
        page.awaitText("#none", "No limit's name contains “limit-99<b>”.");
    }

    @Test
    void opensALimitByKeyboardAndLeadsBack() {
        page.find("#rows a").click();
        page.awaitText("#detail-title", "per-client-next");
        page.press(Keys.ESCAPE);
        page.await("the focus to be back", () -> page.focused().getText().equals("per-client-next"));
        page.press(Keys.TAB);
        assertThat(page.focused().getText()).isEqualTo("per-client");

        page.press(Keys.ENTER);

        page.awaitText("#facts", "customer-4711");
        assertThat(page.focused().getDomAttribute("id")).isEqualTo("detail-title");
        assertThat(page.text("#facts"))
                .contains("Limit and shadow", "per-client-next, shadow", "Bandwidths of one key");
        assertThat(page.js("return document.querySelectorAll('#chart canvas').length"))
                .isEqualTo(1L);
        assertThat(page.find("#chart").getDomAttribute("aria-label"))
                .startsWith("Granted and denied per second over the last");
    }

    @Test
    void drawsWhatWasGrantedAndDenied() {
        page.js("location.hash = 'limit=per-client'");
        page.awaitText("#legend-granted", "1,412");

        page.await("lines in two colours", () -> page.js(COLOURS_DRAWN).equals(List.of("granted", "denied")));
        assertThat(page.text("#legend-denied")).isEqualTo("86.2");
    }

    @Test
    void goesOnShowingAnOpenLimitThatTheFilterLeavesOut() {
        page.js("location.hash = 'limit=per-client'");
        page.awaitText("#facts", "customer-4711");
        page.find("#filter").sendKeys("log-in");
        page.awaitText("#count", "1 of 1 that match");
        say(MadeUp.of(List.of(MadeUp.limit("log-in", 1, 0), MadeUp.limit("per-client", 777, 0, "zoe")), 2));

        page.awaitText("#facts", "zoe");
        page.awaitText("#legend-granted", "777.0");
    }

    @Test
    void keepsRowsUnderAFingerWhereTheyAre() {
        page.find("#rows .row:nth-child(2) a").sendKeys(Keys.SHIFT);
        say(MadeUp.of(
                List.of(
                        MadeUp.limit("search", 1, 99),
                        MadeUp.limit("per-client", 1, 9),
                        MadeUp.limit("brand-new", 1, 1)),
                3));

        page.awaitText("#rows", "brand-new");

        assertThat(page.texts("#rows .name")).containsExactly("per-client", "search", "brand-new");
        assertThat(page.text("#order")).startsWith("Rows stay where they are");
    }

    @Test
    void tellsWhenQuotasResetInTheTimeOfTheViewer() {
        assertThat(page.text("#quota-rows")).contains("tokens", "1,000,000 tokens", "Europe/Berlin");
        assertThat(page.text("#quota-rows"))
                .contains(
                        String.valueOf(
                                page.js(
                                        "return new Intl.DateTimeFormat('en-GB',"
                                                + " {hour: '2-digit', minute: '2-digit', timeZoneName: 'short'}).format(new Date('2027-01-01T00:00:00+01:00'))")));
        assertThat(page.text("#penalty-rows")).contains("198.51.100.7", "log-in", "denied 20 times in 1 min");
    }

    @Test
    void isNotHarmedByWhatClientsAreCalled() {
        String turned = "user\u202etxt.exe\u0000\u001b[31m\u200b";
        String broken = "half \ud83d of a pair";
        say(MadeUp.of(
                List.of(MadeUp.limit(
                        "per-client", 5, 4, MARKUP, turned, "x".repeat(10_240), broken, "' onclick=alert(1)")),
                1));
        page.js("location.hash = 'limit=per-client'");
        page.awaitText("#facts", "onerror");

        assertThat(page.js("return window.hit ?? null")).isNull();
        assertThat(page.js("return document.querySelectorAll('#facts :is(img, script, b, [onclick])').length"))
                .isEqualTo(0L);
        List<String> keys = page.texts("#facts table:first-child td:first-child");
        assertThat(keys.get(0)).isEqualTo(MARKUP);
        assertThat(keys.get(1)).isEqualTo("user\\u202etxt.exe\\u0000\\u001b[31m\\u200b");
        assertThat(keys.get(2)).isEqualTo("x".repeat(120) + "…");
        assertThat(page.complaints()).isEmpty();
        for (int width : new int[] {320, 1280}) {
            page.size(width, 800);
            assertThat(overflow()).as("pixels to scroll sideways at %s", width).isZero();
        }
    }

    @Test
    void isNotHarmedByWhatMembersAndLimitsAreCalled() {
        say(new MadeUp.Said(
                List.of(MadeUp.member(MARKUP, true, "UNREACHABLE", 5, MARKUP + "y".repeat(10_240))),
                List.of(MadeUp.limit(MARKUP, 1, 1, true), MadeUp.limit("z".repeat(10_240), 1, 0)),
                List.of("{\"limit\":\"a\",\"key\":%1$s,\"until\":\"never\",\"level\":1,\"reason\":%1$s}"
                        .formatted(MadeUp.quoted(MARKUP))),
                List.of(
                        "{\"name\":%1$s,\"cap\":1,\"unit\":%1$s,\"period\":%1$s,\"zone\":%1$s,\"resetsAt\":\"never\",\"policy\":%1$s}"
                                .formatted(MadeUp.quoted(MARKUP))),
                2));

        page.awaitText("#sentence", "Member <img src=x");
        page.find("#rows a").click();
        page.awaitText("#detail-title", "<img src=x");
        page.awaitText("#detail-state", "Why");

        assertThat(page.js(
                        "return document.querySelectorAll('main img, main script, header img, header script').length"))
                .isEqualTo(0L);
        assertThat(page.js("return window.hit ?? null")).isNull();
        assertThat(page.complaints()).isEmpty();
        page.size(320, 800);
        assertThat(overflow()).as("pixels to scroll sideways").isZero();
    }

    @Test
    void needsNoMoreThan320Pixels() {
        page.size(320, 800);
        assertThat(overflow()).isZero();

        page.js("location.hash = 'limit=per-client'");
        page.awaitText("#facts", "customer-4711");

        assertThat(overflow()).isZero();
        assertThat(page.find("#rows").isDisplayed())
                .as("the list gives way to what is open")
                .isFalse();
        assertThat(page.js("const right = document.getElementById('detail').getBoundingClientRect().right;"
                        + "return [...document.querySelectorAll('#detail *')].filter(each => each.getBoundingClientRect().right > right)"
                        + ".map(each => each.outerHTML.slice(0, 80))"))
                .as("what sticks out of the detail")
                .isEqualTo(List.of());
    }

    @Test
    void asksNobodyElseAndComplainsOfNothing() {
        page.find("#rows a").click();
        page.awaitText("#legend-granted", "1,380");
        page.js("document.getElementById('filter').focus()");

        assertThat(page.requested())
                .hasSizeGreaterThan(8)
                .allSatisfy(each -> assertThat(each).startsWith(server.url()));
        assertThat(page.complaints()).isEmpty();
        assertThat(page.js("return document.querySelectorAll('style').length")).isEqualTo(0L);
    }

    @Test
    void showsNumbersThatCanBeCompared() {
        List<String> right = List.of("granted", "denied");
        assertThat(right)
                .allSatisfy(each -> assertThat(page.find("#rows ." + each).getCssValue("text-align"))
                        .isEqualTo("right"));
        assertThat(page.find("body").getCssValue("font-variant-numeric")).isEqualTo("tabular-nums");
        assertThat(page.find("#rows .row").findElements(By.cssSelector("[role=cell]")))
                .hasSize(6);
    }

    /** Has other data, and the page ask for it at once. */
    private void say(MadeUp.Said now) {
        data.say(now);
        page.askNow();
    }

    private void go(MadeUp.Way way) {
        data.go(way);
        page.askNow();
    }

    private long overflow() {
        return (Long) page.js("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
    }
}
