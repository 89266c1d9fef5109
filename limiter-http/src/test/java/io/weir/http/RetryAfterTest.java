package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Decision;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.BatchTransition;
import io.weir.algorithm.Request;
import io.weir.store.Answer;
import io.weir.store.Source;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryAfterTest {

    private static final Limit FIVE_A_MINUTE = Limit.named("per-client", FailurePolicy.DENY)
            .bandwidth(Bandwidth.of(5, 5, Duration.ofMinutes(1)))
            .build();

    /** A client that was told 11 would be denied at 11.5 s. */
    @Test
    void isRoundedUpAndTheClientThatSleepsItIsGranted() {
        try (LimitedService service = new LimitedService(FIVE_A_MINUTE)) {
            service.ask(5);
            service.pass(Duration.ofMillis(500));
            assertThat(retryAfter(service)).isEqualTo(12);

            service.pass(Duration.ofMillis(11_400)); // 11.9 s, and 0.1 s to go
            assertThat(retryAfter(service)).isEqualTo(1);

            service.pass(Duration.ofSeconds(1));
            assertThat(service.ask(1).granted()).isTrue();
        }
    }

    @Test
    void doesNotShrinkWhileTheAnswerIsDelayed() {
        try (LimitedService service = new LimitedService(FIVE_A_MINUTE)) {
            service.ask(5);
            Decision decision = service.ask(1);
            service.pass(Duration.ofSeconds(30)); // past the wait: still neither zero nor negative

            assertThat(retryAfter(HttpMapping.standard().answer(decision, service.now())))
                    .isEqualTo(12);
        }
    }

    @Test
    void isSharpToTheSecondForRandomLimits() {
        long seed = Long.getLong("weir.seed", System.nanoTime());
        System.out.println("RetryAfterTest: replay with -Dweir.seed=" + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            Limit limit = randomLimit(random);
            try (LimitedService service = new LimitedService(limit)) {
                long permits = drain(service, limit, random);
                long seconds = retryAfter(HttpMapping.standard().answer(service.ask(permits), service.now()));

                service.pass(Duration.ofSeconds(seconds - 1));
                assertThat(service.ask(permits).granted())
                        .as("%d permits of %s a second before %d s", permits, limit, seconds)
                        .isFalse();
                service.pass(Duration.ofSeconds(1));
                assertThat(service.ask(permits).granted())
                        .as("%d permits of %s after %d s", permits, limit, seconds)
                        .isTrue();
            }
        }
    }

    /** Permits that came back in the same step end the wait of a denial at once, while the meter has one still. */
    @Test
    void isNeverEarlierThanTheReset() {
        ScriptedStore store = new ScriptedStore((rule, permits) -> {
            List<Request> requests = List.of(new Request.Take(5), new Request.Take(permits), new Request.GiveBack(3));
            BatchTransition step = rule.decide(null, requests, 0);
            return Answer.of(step.verdicts().get(1), step.state(), 0, Source.CLUSTER);
        });
        try (Weir weir = Weir.over(store).limit(FIVE_A_MINUTE).build()) {
            HttpAnswer answer = HttpMapping.standard()
                    .answer(weir.limiter("per-client").tryAcquire("client"), LimitedService.BEGIN);

            assertThat(answer.fields()).containsEntry("RateLimit", "\"per-client\";r=3;t=12");
            assertThat(retryAfter(answer)).isEqualTo(12);
        }
    }

    /** Clients that were denied together do not come back together, and none comes back early. */
    @Test
    void jitterSpreadsAndNeverShortens() {
        HttpMapping mapping = HttpMapping.standard().jitter(25, new Random(28));
        try (LimitedService service = new LimitedService(FIVE_A_MINUTE)) {
            service.ask(5);
            service.pass(Duration.ofMillis(500));
            List<Decision> denials =
                    IntStream.range(0, 1_000).mapToObj(i -> service.ask(1)).toList();

            assertThat(denials.stream().map(denial -> retryAfter(mapping.answer(denial, service.now()))))
                    .containsOnly(12L, 13L, 14L, 15L);
            assertThat(denials.stream()
                            .map(denial -> retryAfter(HttpMapping.standard().answer(denial, service.now()))))
                    .as("off")
                    .containsOnly(12L);
            assertThat(denials.stream().map(denial -> denial.retryAfter().orElseThrow()))
                    .as("in the decision")
                    .containsOnly(Duration.ofMillis(11_500));
            assertThat(denials.stream()
                            .map(denial -> mapping.answer(denial, service.now())
                                    .fields()
                                    .get("RateLimit")))
                    .as("in the meter")
                    .containsOnly("\"per-client\";r=0;t=12");
        }
    }

    @Test
    void jitterIsTheSameInTheFieldAndInTheBody() {
        HttpMapping mapping = HttpMapping.standard().jitter(100, new Random(1));
        try (LimitedService service = new LimitedService(FIVE_A_MINUTE)) {
            service.ask(5);
            for (int i = 0; i < 100; i++) {
                HttpAnswer.Denied denied = (HttpAnswer.Denied) mapping.answer(service.ask(1), service.now());
                assertThat(denied.body()).endsWith(",\"retry_after\":" + retryAfter(denied) + "}");
            }
        }
    }

    @Test
    void jitterSpreadsEvenTheShortestWait() {
        HttpMapping mapping = HttpMapping.standard().jitter(1, new Random(1));
        try (LimitedService service = new LimitedService(FIVE_A_MINUTE)) {
            service.ask(5);
            service.pass(Duration.ofMillis(11_900));

            assertThat(IntStream.range(0, 100).mapToObj(i -> retryAfter(mapping.answer(service.ask(1), service.now()))))
                    .containsOnly(1L, 2L);
        }
    }

    @Test
    void jitterOfZeroPercentIsNone() {
        HttpMapping mapping = HttpMapping.standard().jitter(0, new Random(1));
        try (LimitedService service = new LimitedService(FIVE_A_MINUTE)) {
            service.ask(5);

            assertThat(IntStream.range(0, 100).mapToObj(i -> retryAfter(mapping.answer(service.ask(1), service.now()))))
                    .containsOnly(12L);
        }
    }

    @Test
    void jitterOutOfRangeIsRefused() {
        for (int percent : new int[] {-1, 101, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> HttpMapping.standard().jitter(percent, new Random(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("jitter must be 0 to 100 percent but is " + percent);
        }
    }

    private static Limit randomLimit(Random random) {
        Limit.Builder limit = Limit.named("random", FailurePolicy.DENY);
        int bandwidths = 1 + random.nextInt(3);
        for (int i = 0; i < bandwidths; i++) {
            limit.bandwidth(new Bandwidth(
                    "bandwidth-" + i,
                    spread(random, 10_000),
                    spread(random, 1_000_000),
                    Duration.ofNanos(spread(random, Duration.ofDays(1).toNanos()))));
        }
        return limit.build();
    }

    /** 1 to {@code most}, small ones as likely as large ones. */
    private static long spread(Random random, long most) {
        return random.nextLong(random.nextLong(most) + 1) + 1;
    }

    /** Asks for some possible number of permits until they are denied, and lets a part of the wait pass. */
    private static long drain(LimitedService service, Limit limit, Random random) {
        long possible =
                limit.bandwidths().stream().mapToLong(Bandwidth::capacity).min().orElseThrow();
        long permits = 1 + random.nextLong(possible);
        Decision last = service.ask(permits);
        while (last.granted()) {
            last = service.ask(permits);
        }
        service.pass(
                Duration.ofNanos(random.nextLong(last.retryAfter().orElseThrow().toNanos())));
        return permits;
    }

    private static long retryAfter(LimitedService service) {
        return retryAfter(HttpMapping.standard().answer(service.ask(1), service.now()));
    }

    private static long retryAfter(HttpAnswer answer) {
        return Long.parseLong(answer.fields().getOrDefault("Retry-After", "absent"));
    }
}
