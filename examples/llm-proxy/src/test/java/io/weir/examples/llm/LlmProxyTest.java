package io.weir.examples.llm;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.quota.Balance;
import io.weir.quota.Charge;
import io.weir.quota.IdempotencyKey;
import io.weir.quota.QuotaDecision;
import io.weir.quota.QuotaLedger;
import io.weir.store.NanoClock;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A prompt is two words here, and costs two tokens. */
@Timeout(60)
class LlmProxyTest {

    private static final Caller ANN = new Caller("ann-1", "search", "acme");
    private static final Caller BOB = new Caller("bob-1", "search", "acme");
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Duration PING = Duration.ofMillis(50);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private Budgets budgets = Budgets.monthly(100, 100, 100, 0);
    private FakeModel model;
    private JdbcConnectionPool pool;
    private LlmProxy proxy;

    @BeforeEach
    void open() throws Exception {
        model = new FakeModel();
        pool = JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
        start(budgets, LONG, PING);
    }

    private void start(Budgets budgets, Duration hold, Duration ping) throws Exception {
        if (proxy != null) {
            proxy.close();
        }
        this.budgets = budgets;
        proxy = LlmProxy.start(
                pool,
                new Completions.Setting(model.address(), Map.of("of-ann", ANN, "of-bob", BOB), budgets, hold, ping),
                0);
    }

    @AfterEach
    void everyBalanceFollowsFromTheHistory() throws Exception {
        assertThat(proxy.ledger().verify()).isEmpty();
        model.close();
        proxy.close();
        pool.dispose();
    }

    private HttpRequest.Builder request(String prompt, int maxTokens) {
        return HttpRequest.newBuilder(URI.create(proxy.completions() + "?max_tokens=" + maxTokens))
                .timeout(Duration.ofSeconds(30))
                .header("Authorization", "Bearer of-ann")
                .POST(HttpRequest.BodyPublishers.ofString(prompt));
    }

    private HttpResponse<String> ask(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> ask(String prompt, int maxTokens) throws Exception {
        return ask(request(prompt, maxTokens));
    }

    /** The balances of key, team and company, which are the same as long as only Ann asks. */
    private List<Balance> balances() {
        QuotaLedger ledger = proxy.ledger();
        return budgets.charges(ANN, 0).stream()
                .map(each -> ledger.peek(each.quota(), each.key()))
                .toList();
    }

    private void assertUsed(long tokens) {
        assertThat(balances()).allSatisfy(each -> {
            assertThat(each.spent()).isEqualTo(tokens);
            assertThat(each.reserved()).isZero();
        });
    }

    private boolean isNothingPutAside() {
        return balances().stream().allMatch(each -> each.reserved() == 0);
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(10);
        }
    }

    @Test
    void putsTheEstimateAsideAndSettlesWhatWasUsed() throws Exception {
        CompletableFuture<HttpResponse<String>> answer =
                http.sendAsync(request("think 3", 10).build(), HttpResponse.BodyHandlers.ofString());
        await(() -> balances().get(0).reserved() == 12);
        assertThat(balances()).allSatisfy(each -> assertThat(each.remaining()).isEqualTo(88));
        model.goOn();

        HttpResponse<String> given = answer.get();
        assertThat(given.statusCode()).isEqualTo(200);
        assertThat(given.headers().firstValue("Content-Type")).contains("text/event-stream");
        assertThat(data(given)).containsExactly("word1", "word2", "word3", "word1", "word2", "[DONE]");
        assertUsed(2 + 5);
    }

    @Test
    void streamsTokensAsTheyCome() throws Exception {
        HttpResponse<InputStream> answer =
                http.send(request("think 3", 10).build(), HttpResponse.BodyHandlers.ofInputStream());
        assertThat(read(answer.body(), "word3")).doesNotContain("[DONE]"); // the model has not said more yet
        model.goOn();
        assertThat(read(answer.body(), "[DONE]")).contains("word2");
    }

    /** Without the pings, of which a slow machine has more. */
    private static List<String> data(HttpResponse<String> answer) {
        return answer.body()
                .lines()
                .filter(each -> each.startsWith("data: "))
                .map(each -> each.substring("data: ".length()))
                .toList();
    }

    private static String read(InputStream in, String until) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.indexOf(until) < 0) {
            int next = in.read();
            assertThat(next).as("more after %s", text).isNotNegative();
            text.append((char) next);
        }
        return text.toString();
    }

    @Test
    void chargesWhatWasUsedWhenTheClientLeaves() throws Exception {
        HttpResponse<InputStream> answer =
                http.send(request("think 3", 10).build(), HttpResponse.BodyHandlers.ofInputStream());
        read(answer.body(), "word3");
        answer.body().close();
        await(this::isNothingPutAside);
        assertUsed(2 + 3);
    }

    @Test
    void chargesWhatWasUsedWhenTheModelBreaksOff() throws Exception {
        HttpResponse<String> answer = ask("break 3", 10);
        assertThat(answer.body()).contains("data: word3", "event: error").doesNotContain("[DONE]");
        assertUsed(2 + 3);
    }

    @Test
    void chargesNothingWhenTheModelRefuses() throws Exception {
        assertThat(ask("refuse 1", 10).statusCode()).isEqualTo(502);
        assertUsed(0);
    }

    @Test
    void settlingTwiceChargesOnce() {
        QuotaDecision reserved = proxy.ledger().reserve(IdempotencyKey.fresh(), LONG, budgets.charges(ANN, 20));
        Metered metered = new Metered(proxy.ledger(), reserved, LONG, NanoClock.monotonic());
        metered.used(7);
        metered.close();
        metered.close();
        assertUsed(7);
    }

    @Test
    void takesNothingOfTheTeamIfTheCompanyHasNoRoom() throws Exception {
        start(Budgets.monthly(100, 100, 5, 0), LONG, PING);
        HttpResponse<String> denied = ask("say 5", 10);
        assertThat(denied.statusCode()).isEqualTo(403);
        assertThat(denied.body()).contains("[\"company\"]");
        assertUsed(0);
        assertThat(model.asked()).isZero();
    }

    @Test
    void tellsWhenAnExhaustedBudgetResets() throws Exception {
        assertThat(ask("say 90", 90).statusCode()).isEqualTo(200);
        HttpResponse<String> denied = ask("say 5", 10);
        assertThat(denied.statusCode()).isEqualTo(403);
        ZonedDateTime reset = balances().get(0).window().end().atZone(ZoneOffset.UTC);
        assertThat(denied.headers().firstValue("Retry-After"))
                .hasValueSatisfying(each -> assertThat(ZonedDateTime.parse(each, DateTimeFormatter.RFC_1123_DATE_TIME))
                        .isEqualTo(reset));
        assertThat(denied.body()).contains("\"resets_at\":\"" + reset.toInstant() + "\"");
        assertUsed(92);
    }

    @Test
    void tellsNobodyToComeBackForMoreThanTheCap() throws Exception {
        HttpResponse<String> denied = ask("say 5", 99);
        assertThat(denied.statusCode()).isEqualTo(403);
        assertThat(denied.headers().firstValue("Retry-After")).isEmpty();
        assertThat(denied.body()).contains("more than a whole period").doesNotContain("resets_at");
        assertUsed(0);
    }

    @Test
    void chargesBeyondTheEstimateAndIntoDebt() throws Exception {
        start(Budgets.monthly(10, 10, 10, 5), LONG, PING);
        assertThat(ask("say 12", 5).statusCode()).isEqualTo(200); // a model that does not keep to max_tokens
        assertUsed(14);
        assertThat(ask("say 1", 1).statusCode()).isEqualTo(403);
    }

    @Test
    void answersARepeatedRequestWithoutChargingOrAskingTheModelAgain() throws Exception {
        HttpResponse<String> first = ask(request("say 5", 10).header("Idempotency-Key", "\"k\""));
        HttpResponse<String> again = ask(request("say 5", 10).header("Idempotency-Key", "\"k\""));
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(data(again)).hasSize(6).isEqualTo(data(first));
        assertThat(model.asked()).isEqualTo(1);
        assertUsed(2 + 5);

        assertThat(ask(request("say 6", 10).header("Idempotency-Key", "k")).statusCode())
                .as("another prompt")
                .isEqualTo(422);
        assertThat(ask(request("say 5", 11).header("Idempotency-Key", "k")).statusCode())
                .as("another estimate")
                .isEqualTo(422);
        assertThat(ask(request("say 5", 10).header("Idempotency-Key", "")).statusCode())
                .as("no key")
                .isEqualTo(400);
        assertUsed(2 + 5);

        HttpResponse<String> ofBob = ask(
                request("say 6", 10).setHeader("Authorization", "Bearer of-bob").header("Idempotency-Key", "k"));
        assertThat(ofBob.statusCode()).as("the key of another caller").isEqualTo(200);
        assertThat(model.asked()).isEqualTo(2);
    }

    @Test
    void doesNotAskTheModelTwiceWhileItIsAtIt() throws Exception {
        HttpResponse<InputStream> first = http.send(
                request("think 3", 10).header("Idempotency-Key", "k").build(),
                HttpResponse.BodyHandlers.ofInputStream());
        read(first.body(), "word3");
        assertThat(ask(request("think 3", 10).header("Idempotency-Key", "k")).statusCode())
                .isEqualTo(409);
        assertThat(balances().get(0).reserved()).isEqualTo(12);
        model.goOn();
        read(first.body(), "[DONE]");
        await(this::isNothingPutAside);
        assertUsed(2 + 5);
        assertThat(model.asked()).isEqualTo(1);
    }

    @Test
    void keepsWhatIsPutAsideWhileTheStreamLasts() throws Exception {
        Duration hold = Duration.ofSeconds(2);
        start(budgets, hold, PING);
        HttpResponse<InputStream> answer =
                http.send(request("think 3", 10).build(), HttpResponse.BodyHandlers.ofInputStream());
        read(answer.body(), "word3");
        long end = System.nanoTime() + 2 * hold.toNanos();
        while (System.nanoTime() < end) {
            assertThat(balances().get(0).reserved()).isEqualTo(12);
            Thread.sleep(20);
        }
        model.goOn();
        read(answer.body(), "[DONE]");
        await(this::isNothingPutAside);
        assertUsed(2 + 5);
    }

    @Test
    void chargesWhatWasUsedThoughTheReservationHasExpired() throws Exception {
        start(budgets, Duration.ofMillis(50), Duration.ofMinutes(1)); // too seldom
        HttpResponse<InputStream> answer =
                http.send(request("think 3", 10).build(), HttpResponse.BodyHandlers.ofInputStream());
        read(answer.body(), "word3");
        await(this::isNothingPutAside);
        model.goOn();
        assertThat(read(answer.body(), "[DONE]")).contains("word2");
        await(() -> balances().get(0).spent() > 0);
        assertUsed(2 + 5);
    }

    @Test
    void checksAndChargesInOneStep() throws Exception {
        start(Budgets.monthly(1_000, 1_000, 5 * 7 + 6, 0), LONG, PING);
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            answers.add(http.sendAsync(request("say 5", 5).build(), HttpResponse.BodyHandlers.ofString()));
        }
        int granted = 0;
        for (CompletableFuture<HttpResponse<String>> each : answers) {
            int status = each.get().statusCode();
            assertThat(status).isIn(200, 403);
            granted += status == 200 ? 1 : 0;
        }
        assertThat(granted).isEqualTo(5);
        assertThat(model.asked()).isEqualTo(5);
        assertUsed(5 * 7);
    }

    @Test
    void knowsItsCallers() throws Exception {
        assertThat(ask(request("say 5", 10).setHeader("Authorization", "Bearer of-eve"))
                        .statusCode())
                .isEqualTo(401);
        assertThat(ask("say 5", 0).statusCode()).isEqualTo(400);
        Charge ofCompany = budgets.charges(ANN, 0).get(2);
        assertThat(proxy.ledger().peek(ofCompany.quota(), ofCompany.key()).spent())
                .isZero();
    }
}
