package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.store.LocalStore;
import io.weir.store.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Waiting for permits that a store puts aside. */
class AcquiringTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final AtomicLong nowNanos = new AtomicLong();
    private final List<Duration> pauses = new ArrayList<>();
    private Weir weir = weir(Algorithm.Kind.TOKEN_BUCKET, this::pause);

    /** Ten at once, and ten a second. */
    private Weir weir(Algorithm.Kind kind, Limiter.Pause pause) {
        return Weir.over(LocalStore.create(nowNanos::get, 100))
                .limit(limit(kind))
                .time(nowNanos::get, pause)
                .build();
    }

    private static Limit limit(Algorithm.Kind kind) {
        return Limit.named("api", FailurePolicy.DENY)
                .algorithm(kind)
                .bandwidth(Bandwidth.perWindow(10, SECOND))
                .build();
    }

    private void pause(Duration duration) {
        pauses.add(duration);
        nowNanos.addAndGet(duration.toNanos());
    }

    @AfterEach
    void close() {
        weir.close();
    }

    private Limiter api() {
        return weir.limiter("api");
    }

    @Test
    void asksOnceAndSleepsUntilTheInstant() throws InterruptedException {
        api().tryAcquire("a", 10);

        assertThat(api().acquire("a", 5, HOUR).granted()).isTrue();

        assertThat(pauses).containsExactly(Duration.ofMillis(500));
        assertThat(api().tryAcquire("a").granted()).as("they are spent").isFalse();
    }

    @Test
    void servesInOrderWhoeverAsksMeanwhile() throws InterruptedException {
        List<Decision> others = new ArrayList<>();
        weir = weir(Algorithm.Kind.TOKEN_BUCKET, duration -> {
            others.add(api().tryAcquire("a"));
            pause(duration);
            others.add(api().tryAcquire("a"));
        });
        api().tryAcquire("a", 10);

        assertThat(api().acquire("a", 5, HOUR).granted()).isTrue();

        assertThat(others.get(0).retryAfter()).contains(Duration.ofMillis(600));
        assertThat(others.get(1).granted()).isFalse();
    }

    @Test
    void spacesWhatALeakyBucketGrants() throws InterruptedException {
        weir = weir(Algorithm.Kind.LEAKY_BUCKET, this::pause);
        for (int i = 0; i < 4; i++) {
            assertThat(api().acquire("a", 1, HOUR).granted()).isTrue();
        }

        Duration tenth = SECOND.dividedBy(10);
        assertThat(pauses).containsExactly(tenth, tenth, tenth);
    }

    @ParameterizedTest
    @EnumSource(names = {"SLIDING_WINDOW", "SLIDING_LOG", "FIXED_WINDOW"})
    void asksAgainWhenAWindowSaid(Algorithm.Kind kind) throws InterruptedException {
        weir = weir(kind, this::pause);
        api().tryAcquire("a", 10);

        assertThat(api().acquire("a", 10, HOUR).granted()).isTrue();

        assertThat(pauses).hasSize(1);
    }

    @Test
    void givesBackWhatWasPutAsideWhenInterrupted() {
        weir = weir(Algorithm.Kind.TOKEN_BUCKET, duration -> {
            throw new InterruptedException();
        });
        api().tryAcquire("a", 10);

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> api().acquire("a", 5, HOUR));

        nowNanos.addAndGet(SECOND.toNanos());
        assertThat(api().peek("a").remaining()).hasValue(10);
    }

    @Test
    void givesBackWhatWasPutAsideWhenCancelled() {
        api().tryAcquire("a", 10);
        CompletableFuture<Decision> waits = api().acquireAsync("a", 5, HOUR);
        assertThat(waits).isNotDone();
        assertThat(api().tryAcquire("a").retryAfter()).contains(Duration.ofMillis(600));

        waits.cancel(false);

        assertThat(api().tryAcquire("a").retryAfter()).contains(Duration.ofMillis(100));
    }

    @Test
    void givesBackWhatWasPutAsideWhenClosed() throws Exception {
        weir = weir(Algorithm.Kind.TOKEN_BUCKET, duration -> weir.close());
        Limiter api = api();
        api.tryAcquire("a", 10);
        CompletableFuture<Decision> other = api.acquireAsync("a", 1, HOUR);

        Decision decision = api.acquire("a", 5, HOUR);

        assertThat(decision.source()).isEqualTo(Source.POLICY);
        assertThat(decision.granted()).isFalse();
        assertThat(other.get(10, TimeUnit.SECONDS).source()).isEqualTo(Source.POLICY);
    }

    @Test
    void completesWithoutAThreadOnceThePermitsMayBeUsed() throws Exception {
        Weir real = Weir.over(LocalStore.create())
                .limit(Limit.named("api", FailurePolicy.DENY)
                        .bandwidth(Bandwidth.of(10, 200, SECOND))
                        .build())
                .build();
        try (real) {
            Limiter api = real.limiter("api");
            List<CompletableFuture<Decision>> all = new ArrayList<>();
            long began = System.nanoTime();
            for (int i = 0; i < 30; i++) {
                all.add(api.acquireAsync("a", 1, HOUR));
            }
            for (CompletableFuture<Decision> each : all) {
                assertThat(each.get(10, TimeUnit.SECONDS).granted()).isTrue();
            }
            assertThat(System.nanoTime() - began)
                    .isGreaterThanOrEqualTo(Duration.ofMillis(99).toNanos());
        }
    }

    @Test
    void waitsInTurnForAWindow() throws Exception {
        Weir real = Weir.over(LocalStore.create())
                .limit(Limit.named("api", FailurePolicy.DENY)
                        .algorithm(Algorithm.Kind.SLIDING_LOG)
                        .bandwidth(Bandwidth.perWindow(2, Duration.ofMillis(20)))
                        .build())
                .build();
        try (real) {
            Limiter api = real.limiter("api");
            List<Integer> order = new ArrayList<>();
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                int mine = i;
                all.add(api.acquireAsync("a", 1, HOUR).thenAccept(granted -> {
                    synchronized (order) {
                        order.add(mine);
                    }
                }));
            }
            CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)).get(10, TimeUnit.SECONDS);
            assertThat(order.subList(2, 10)).isSorted();
        }
    }

    /** Many turns that begin at once do not begin within each other. */
    @Test
    void letsAHundredThousandWaitForAWindow() throws Exception {
        Weir real = Weir.over(LocalStore.create())
                .limit(Limit.named("api", FailurePolicy.DENY)
                        .algorithm(Algorithm.Kind.FIXED_WINDOW)
                        .bandwidth(Bandwidth.perWindow(50_000, Duration.ofMillis(500)))
                        .build())
                .build();
        try (real) {
            Limiter api = real.limiter("api");
            List<CompletableFuture<Decision>> all = new ArrayList<>();
            for (int i = 0; i < 90_000; i++) {
                all.add(api.acquireAsync("a", 1, Duration.ofMinutes(1)));
            }
            for (CompletableFuture<Decision> each : all) {
                assertThat(each.get(60, TimeUnit.SECONDS).granted()).isTrue();
            }
        }
    }

    @Test
    void whoGivesUpInTheMiddleLetsNobodyPast() {
        Turns turns = new Turns();
        Turns.Turn first = turns.queue("a");
        Turns.Turn second = turns.queue("a");
        second.end();
        Turns.Turn third = turns.queue("a");

        assertThat(third.begun()).isNotDone();
        first.end();
        assertThat(third.begun()).succeedsWithin(10, TimeUnit.SECONDS);
        third.end();
        assertThat(turns.size()).isZero();
    }

    @Test
    void endsWaitsOnALimitThatWasRemoved() throws Exception {
        Administration ann = weir.administration("ann");
        ann.define(Limit.named("other", FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(1, 1, HOUR))
                .build());
        Limiter other = weir.limiter("other");
        other.tryAcquire("a");
        CompletableFuture<Decision> waits = other.acquireAsync("a", 1, HOUR.multipliedBy(2));
        ann.remove("other");

        weir.close();

        assertThat(waits.get(10, TimeUnit.SECONDS).source()).isEqualTo(Source.POLICY);
    }

    @Test
    void doesNotWaitOutABlock() throws InterruptedException {
        weir.administration("ann").block("api", "a", Duration.ofMinutes(1), "");

        assertThat(api().acquire("a", 1, HOUR).source()).isEqualTo(Source.BLOCKED);
        assertThat(api().acquireAsync("a", 1, HOUR).join().source()).isEqualTo(Source.BLOCKED);
        assertThat(pauses).isEmpty();
    }

    @Test
    void doesNotWaitForRoomInAFullQueue() throws InterruptedException {
        weir = weir(Algorithm.Kind.LEAKY_BUCKET, this::pause);
        api().tryAcquire("a", 10);

        Decision decision = api().acquire("a", 1, HOUR);

        assertThat(decision.granted()).isFalse();
        assertThat(decision.retryAfter()).contains(SECOND);
        assertThat(pauses).isEmpty();
    }

    @Test
    void settlesWhatWasUsedBeyondTheGrant() {
        weir = Weir.over(LocalStore.create(nowNanos::get, 100))
                .limit(Limit.named("api", FailurePolicy.DENY)
                        .bandwidth(Bandwidth.of(10, 10, SECOND))
                        .debt(20)
                        .build())
                .time(nowNanos::get, this::pause)
                .build();
        Decision estimate = api().tryAcquire("a", 4);

        assertThat(estimate.settle(15).join()).isTrue();
        assertThat(estimate.settle(20).join()).as("once").isFalse();

        assertThat(api().tryAcquire("a").retryAfter()).contains(Duration.ofMillis(600));
    }

    @Test
    void owesNothingUnlessTheLimitAllowsIt() {
        Decision estimate = api().tryAcquire("a", 4);

        assertThat(estimate.settle(15).join()).isTrue();

        assertThat(api().tryAcquire("a").retryAfter()).contains(Duration.ofMillis(100));
    }
}
