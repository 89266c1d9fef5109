package io.weir.http;

import static io.weir.http.Position.AFTER_AUTHENTICATION;
import static io.weir.http.Position.BEFORE_AUTHENTICATION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class HttpQuotasTest {

    private static final KeyResolver CLIENT = KeyResolver.field("X-Client");
    private static final QuotaUse TOKENS = QuotaUse.of("tokens", CLIENT);
    private static final Instant RESET = Instant.parse("2027-02-01T00:00:00Z");

    private final Limits limits = Limits.of(Limits.perMinute("two", 2));
    private final FakeQuotas quotas = new FakeQuotas();

    @AfterEach
    void close() {
        limits.close();
    }

    private HttpLimits http(QuotaUse use) {
        return limits.http(Route.limitedBy("two", "/**", CLIENT).spending(use))
                .quotas(quotas)
                .build();
    }

    private HttpAnswer ask(QuotaUse use, String... fields) {
        FakeRequest request = ann();
        for (int i = 0; i < fields.length; i += 2) {
            request.with(fields[i], fields[i + 1]);
        }
        return http(use).answer(request, BEFORE_AUTHENTICATION);
    }

    private static FakeRequest ann() {
        return FakeRequest.of("POST", "/x").with("X-Client", "ann");
    }

    private HttpAnswer.Denied denied(QuotaAnswer answer) {
        quotas.answer = answer;
        return (HttpAnswer.Denied) ask(TOKENS);
    }

    @Test
    void takesFromAllQuotasInOneStep() {
        HttpAnswer answer =
                ask(TOKENS.and("company", KeyResolver.fixed("all")).amount(7).estimated());

        assertThat(answer.fields()).containsEntry("X-RateLimit-Remaining", "1");
        assertThat(quotas.asked)
                .containsExactly(new QuotaRequest(
                        List.of(new QuotaRequest.Part("tokens", "ann"), new QuotaRequest.Part("company", "all")),
                        7,
                        true,
                        null));
    }

    @Test
    void spendsNothingThatALimitDenies() {
        limits.drain("two", "ann");

        assertThat(((HttpAnswer.Denied) ask(TOKENS)).status()).isEqualTo(429);
        assertThat(quotas.events).isEmpty();
    }

    @Test
    void asksTheLimitsOfWhoHasNothingLeft() {
        HttpAnswer.Denied denied = denied(new QuotaAnswer.Exhausted(List.of("tokens"), RESET));

        assertThat(limits.left("two", "ann")).isEqualTo(1);
        assertThat(denied.fields()).containsEntry("X-RateLimit-Remaining", "1");
    }

    @Test
    void answersAnExhaustedQuotaWithTheDateOfItsReset() {
        HttpAnswer.Denied denied = denied(new QuotaAnswer.Exhausted(List.of("tokens", "company"), RESET));

        assertThat(denied.status()).isEqualTo(403);
        assertThat(denied.fields())
                .containsEntry("Retry-After", "Mon, 01 Feb 2027 00:00:00 GMT")
                .containsEntry("Content-Type", "application/problem+json");
        assertThat(denied.body())
                .isEqualTo("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                        + "\"title\":\"Request cannot be satisfied as assigned quota has been exceeded\","
                        + "\"status\":403,\"violated-policies\":[\"tokens\",\"company\"],"
                        + "\"resets_at\":\"2027-02-01T00:00:00Z\"}");
    }

    @Test
    void letsScriptsOfOtherOriginsReadTheDate() {
        quotas.answer = new QuotaAnswer.Exhausted(List.of("tokens"), RESET);

        assertThat(ask(TOKENS, "Origin", "https://shop.example").fields().get("Access-Control-Expose-Headers"))
                .startsWith("Retry-After, ");
    }

    /** Whoever comes back at that second, and not before, finds the new period. */
    @ParameterizedTest
    @CsvSource({
        "2027-02-01T00:00:00.000001Z,'Mon, 01 Feb 2027 00:00:01 GMT'",
        "2028-02-28T23:59:59.999999999Z,'Tue, 29 Feb 2028 00:00:00 GMT'",
        "2026-12-31T23:59:59.5Z,'Fri, 01 Jan 2027 00:00:00 GMT'",
        "2027-10-31T00:30:00Z,'Sun, 31 Oct 2027 00:30:00 GMT'"
    })
    void roundsTheDateUp(Instant reset, String date) {
        assertThat(denied(new QuotaAnswer.Exhausted(List.of("tokens"), reset)).fields())
                .containsEntry("Retry-After", date);
    }

    @Test
    void spreadsThoseThatComeBackButNeverEarlier() {
        HttpMapping mapping = HttpMapping.standard().resetJitter(Duration.ofSeconds(2), new Random(7));
        QuotaAnswer.Exhausted exhausted = new QuotaAnswer.Exhausted(List.of("tokens"), RESET);

        assertThat(Stream.generate(() -> mapping.answer(exhausted).fields().get("Retry-After"))
                        .limit(100)
                        .distinct())
                .containsExactlyInAnyOrder(
                        "Mon, 01 Feb 2027 00:00:00 GMT",
                        "Mon, 01 Feb 2027 00:00:01 GMT",
                        "Mon, 01 Feb 2027 00:00:02 GMT");
        assertThat(mapping.answer(exhausted).body()).contains("\"resets_at\":\"2027-02-01T00:00:00Z\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> mapping.resetJitter(Duration.ofSeconds(-1), new Random(7)))
                .withMessageContaining("PT-1S");
    }

    @Test
    void namesNoDateThatNobodyKnows() {
        HttpAnswer.Denied denied = denied(new QuotaAnswer.Exhausted(List.of("tokens"), null));

        assertThat(denied.status()).isEqualTo(403);
        assertThat(denied.fields()).doesNotContainKey("Retry-After");
        assertThat(denied.body()).doesNotContain("resets_at");
    }

    @Test
    void sendsNobodyBackForMoreThanAPeriodHas() {
        HttpAnswer.Denied denied = denied(new QuotaAnswer.Never(List.of("tokens")));

        assertThat(denied.status()).isEqualTo(403);
        assertThat(denied.fields()).doesNotContainKey("Retry-After");
        assertThat(denied.body())
                .contains("\"violated-policies\":[\"tokens\"]", "more than a whole period")
                .doesNotContain("resets_at");
    }

    @Test
    void answersAnAbsentLedgerAndAReusedKey() {
        assertThat(denied(new QuotaAnswer.Unavailable()).status()).isEqualTo(503);
        assertThat(denied(new QuotaAnswer.Conflict()).status()).isEqualTo(422);
    }

    @Test
    void answersWithTheStatusThatWasChosen() {
        QuotaAnswer.Exhausted exhausted = new QuotaAnswer.Exhausted(List.of("tokens"), RESET);
        for (int status : new int[] {402, 403, 429}) {
            HttpAnswer.Denied answer =
                    HttpMapping.standard().exhaustedStatus(status).answer(exhausted);
            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.body()).contains("\"status\":" + status);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HttpMapping.standard().exhaustedStatus(500))
                .withMessage("exhaustedStatus must be 403, 402 or 429 but is 500");
    }

    /** Each configuring method changes one thing, and keeps those of quotas. */
    @Test
    void keepsTheStatusThroughOtherChoices() {
        HttpMapping mapping = HttpMapping.standard()
                .exhaustedStatus(402)
                .dialects()
                .impossibleStatus(400)
                .jitter(5, new Random(1))
                .resetJitter(Duration.ZERO, new Random(1));

        assertThat(mapping.answer(new QuotaAnswer.Never(List.of("tokens"))).status())
                .isEqualTo(402);
    }

    @Test
    void takesOnceHoweverOftenARequestIsDispatched() {
        HttpLimits http = http(TOKENS);
        FakeRequest request = ann();

        http.answer(request, BEFORE_AUTHENTICATION);
        http.answer(request, BEFORE_AUTHENTICATION);

        assertThat(quotas.events).containsExactly("spend 1");
    }

    @Test
    void takesWhatTheRequestSays() {
        QuotaUse use = TOKENS.amountOf(request -> request.field("X-Tokens").size());

        ask(use, "X-Tokens", "a", "X-Tokens", "b");
        ask(use);

        assertThat(quotas.events).containsExactly("spend 2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ask(TOKENS.amountOf(request -> -1)))
                .withMessage("amount of quota \"tokens\" must be 0 or more but is -1");
    }

    @Test
    void asksOfOneQuotaWithoutALimit() {
        HttpLimits http =
                limits.http(Route.spending(TOKENS, "/**")).quotas(quotas).build();

        assertThat(http.answer(ann(), BEFORE_AUTHENTICATION)).isEqualTo(new HttpAnswer.Granted(Map.of()));
        assertThat(quotas.events).containsExactly("spend 1");
    }

    @ParameterizedTest
    @EnumSource
    void treatsAMissingKeyAsTheRouteSays(MissingKey missing) {
        HttpLimits http = limits.http(Route.spending(TOKENS, "/**").missingKey(missing))
                .quotas(quotas)
                .build();

        HttpAnswer answer = http.answer(FakeRequest.get("/x"), BEFORE_AUTHENTICATION);

        assertThat(answer instanceof HttpAnswer.Denied denied ? denied.status() : 200)
                .isEqualTo(missing == MissingKey.DENY ? 403 : 200);
        assertThat(quotas.asked).hasSize(missing == MissingKey.SHARED ? 1 : 0);
    }

    @Test
    void standsAfterAuthenticationIfThePayerIsKnownThen() {
        HttpLimits http = limits.http(
                        Route.limitedBy("two", "/**", CLIENT).spending(QuotaUse.of("tokens", KeyResolver.principal())))
                .quotas(quotas)
                .build();

        http.answer(ann().by("Ann Smith"), BEFORE_AUTHENTICATION);
        assertThat(quotas.asked).isEmpty();
        http.answer(ann().by("Ann Smith"), AFTER_AUTHENTICATION);

        assertThat(quotas.asked.get(0).parts()).containsExactly(new QuotaRequest.Part("tokens", "Ann Smith"));
    }

    @Test
    void isNotGotAroundByWritingAPathInAnotherWay() {
        HttpLimits http = limits.http(Route.spending(TOKENS, "/dear/**"), Route.spending(TOKENS.amount(9), "/cheap/**"))
                .quotas(quotas)
                .build();

        HttpAnswer answer =
                http.answer(FakeRequest.get("/cheap/../dear/x").with("X-Client", "ann"), BEFORE_AUTHENTICATION);

        assertThat(((HttpAnswer.Denied) answer).status()).isEqualTo(400);
        assertThat(quotas.asked).isEmpty();
    }

    @Test
    void hearsIdempotencyKeysWhereItIsTold() {
        ask(TOKENS, "Idempotency-Key", "\"k1\"");
        ask(TOKENS.idempotencyKeys(IdempotencyKeys.ACCEPTED), "Idempotency-Key", "\"k1\"");
        limits.pass(Duration.ofMinutes(1));
        ask(TOKENS.idempotencyKeys(IdempotencyKeys.ACCEPTED), "Idempotency-Key", "k1");
        ask(TOKENS.idempotencyKeys(IdempotencyKeys.ACCEPTED));

        assertThat(quotas.asked)
                .extracting(QuotaRequest::idempotencyKey)
                .containsExactly(null, "POST /x k1", "POST /x k1", null);
    }

    @ParameterizedTest
    @EnumSource(names = {"ACCEPTED", "REQUIRED"})
    void refusesAWrongIdempotencyKeyBeforeItChargesAnything(IdempotencyKeys heard) {
        HttpAnswer.Denied denied = (HttpAnswer.Denied)
                ask(TOKENS.idempotencyKeys(heard), "Idempotency-Key", "a\r\nSet-Cookie: evil=" + "1".repeat(8_192));

        assertThat(denied.status()).isEqualTo(400);
        assertThat(denied.fields()).containsOnlyKeys("Content-Type");
        assertThat(denied.body()).contains("Idempotency-Key").doesNotContain("evil");
        assertThat(quotas.asked).isEmpty();
        assertThat(limits.left("two", "ann")).isEqualTo(2);
    }

    @Test
    void refusesARequestWithoutTheIdempotencyKeyThatItNeeds() {
        HttpAnswer.Denied denied = (HttpAnswer.Denied) ask(TOKENS.idempotencyKeys(IdempotencyKeys.REQUIRED));

        assertThat(denied.status()).isEqualTo(400);
        assertThat(quotas.asked).isEmpty();
    }

    /** Else a client makes its requests fail, and then has them done again for nothing. */
    @Test
    void doesNotGiveBackWhatARepeatWouldNotPayAgain() {
        for (IdempotencyKeys heard : List.of(IdempotencyKeys.ACCEPTED, IdempotencyKeys.REQUIRED)) {
            QuotaUse use = TOKENS.idempotencyKeys(heard);
            assertThatIllegalArgumentException()
                    .isThrownBy(use::estimated)
                    .withMessageContaining("\"tokens\" can be given back, since it is estimated");
            assertThatIllegalArgumentException()
                    .isThrownBy(use::refundedOnFailure)
                    .withMessageContaining("since it is refunded on failure");
            QuotaCharge charge = charge(use);
            assertThatIllegalStateException().isThrownBy(charge::release).withMessageContaining("idempotency keys");
            charge.end(true);
        }
        assertThat(quotas.events).containsOnly("spend 1");
    }

    private QuotaCharge charge(QuotaUse use) {
        FakeRequest request = ann().with("Idempotency-Key", "k");
        http(use).answer(request, BEFORE_AUTHENTICATION);
        if (request.kept(HttpLimits.QUOTA) instanceof QuotaCharge charge) {
            return charge;
        }
        throw new AssertionError("nothing was kept");
    }

    @Test
    void settlesOnceWhatTheHandlerSays() {
        QuotaCharge charge = charge(TOKENS.amount(10).estimated());

        charge.settle(4);
        assertThatIllegalStateException().isThrownBy(() -> charge.settle(5)).withMessageContaining("has ended");
        assertThatIllegalStateException().isThrownBy(charge::release).withMessageContaining("has ended");
        charge.end(true);

        assertThat(quotas.events).containsExactly("reserve 10", "settle 4");
    }

    @Test
    void releasesOnceWhatTheHandlerDoesNotNeed() {
        QuotaCharge charge = charge(TOKENS.amount(10).estimated());

        charge.release();
        charge.end(false);

        assertThat(quotas.events).containsExactly("reserve 10", "release");
    }

    @ParameterizedTest
    @CsvSource({
        "true,false,false,settle 10",
        "true,false,true,release",
        "false,false,false,",
        "false,false,true,",
        "false,true,false,",
        "false,true,true,release"
    })
    void endsWhatTheHandlerHasSaidNothingOf(boolean estimate, boolean refunded, boolean failed, String end) {
        QuotaUse use = estimate ? TOKENS.amount(10).estimated() : TOKENS.amount(10);

        charge(refunded ? use.refundedOnFailure() : use).end(failed);

        List<String> events = quotas.events.subList(1, quotas.events.size());
        assertThat(events).isEqualTo(end == null ? List.of() : List.of(end));
    }

    @Test
    void triesOnceMoreAtTheEndOfTheRequest() {
        QuotaCharge charge = charge(TOKENS.amount(10).estimated());
        quotas.failures.set(1);

        assertThatIllegalStateException().isThrownBy(() -> charge.settle(4)).withMessage("the ledger is away");
        assertThatIllegalStateException().isThrownBy(() -> charge.settle(5)).withMessageContaining("settled with 4");
        assertThatIllegalStateException().isThrownBy(charge::release).withMessageContaining("settled with 4");
        charge.end(true);

        assertThat(quotas.events).containsExactly("reserve 10", "settle 4 fails", "settle 4");
    }

    @Test
    void theEndOfARequestNeverFails() {
        QuotaCharge charge = charge(TOKENS.amount(10).estimated());
        quotas.failures.set(9);

        charge.end(false);
        charge.end(true);

        assertThat(quotas.events).containsExactly("reserve 10", "settle 10 fails");
    }

    @Test
    void refusesToSettleWhatIsNoEstimateOrNoCost() {
        assertThatIllegalStateException()
                .isThrownBy(() -> charge(TOKENS).settle(1))
                .withMessageContaining(".estimated()");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> charge(TOKENS.estimated()).settle(-1))
                .withMessage("cost must be 0 or more but is -1");
    }

    @Test
    void tellsTheHandlerOfAReplay() {
        quotas.answer = new QuotaAnswer.Granted(QuotaHold.nothing(), true);

        assertThat(charge(TOKENS).isReplay()).isTrue();
    }

    @Test
    void waitsForQuotasOnThreadsOfTheirOwn() {
        AtomicInteger handedOver = new AtomicInteger();
        HttpLimits http = limits.http(Route.limitedBy("two", "/**", CLIENT).spending(TOKENS))
                .quotas(quotas, task -> {
                    handedOver.incrementAndGet();
                    task.run();
                })
                .build();

        for (int i = 0; i < 3; i++) {
            http.answerAsync(ann(), BEFORE_AUTHENTICATION).join();
        }

        assertThat(handedOver).as("the third is denied by the limit").hasValue(2);
        assertThat(quotas.events).containsExactly("spend 1", "spend 1");
    }

    @Test
    void countsAsUnavailableIfThoseThreadsTakeNoMore() {
        HttpLimits http = limits.http(Route.limitedBy("two", "/**", CLIENT).spending(TOKENS))
                .quotas(quotas, task -> {
                    throw new RejectedExecutionException("full");
                })
                .build();

        HttpAnswer answer = http.answerAsync(ann(), BEFORE_AUTHENTICATION).join();

        assertThat(((HttpAnswer.Denied) answer).status()).isEqualTo(503);
        assertThat(quotas.events).isEmpty();
    }

    @Test
    void doesNotWaitOnAThreadThatMustNot() {
        HttpLimits http = http(TOKENS);

        assertThatIllegalStateException()
                .isThrownBy(() -> http.answerAsync(ann(), BEFORE_AUTHENTICATION))
                .withMessageContaining(".quotas(quotas, executor)");
    }

    @Test
    void refusesRoutesThatCannotSpend() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limits.http(Route.spending(TOKENS, "/x")).build())
                .withMessage("route /x spends quota [tokens], but nothing keeps quotas: call .quotas(..)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Route.free("/x").spending(TOKENS))
                .withMessageContaining("route /x is free");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Route.spending(TOKENS, "/x").cost(0))
                .withMessageContaining("spends quota [tokens], but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TOKENS.amount(0))
                .withMessageContaining("must be 1 or more but is 0");
        QuotaUse many = TOKENS;
        for (int i = 1; i < 16; i++) {
            many = many.and("q" + i, CLIENT);
        }
        QuotaUse most = many;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> most.and("one-more", CLIENT))
                .withMessageContaining("\"one-more\" is one more than the 16");
    }
}
