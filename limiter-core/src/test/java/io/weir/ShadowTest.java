package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.Leasing;
import io.weir.store.LocalStore;
import io.weir.store.Store;
import io.weir.store.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A limit that only reports: what it says is what enforcement would have done, and nothing that it does is felt. */
class ShadowTest {

    private final AtomicLong nowNanos = new AtomicLong();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final List<Duration> slept = new ArrayList<>();

    private static Limit.Builder limit(String name, long permits) {
        return Limit.named(name, FailurePolicy.DENY).bandwidth(Bandwidth.of(permits, permits, Duration.ofSeconds(1)));
    }

    private Weir over(Store store, Limit... limits) {
        Weir.Builder builder =
                Weir.over(store).meters(MicrometerMeters.in(registry)).time(nowNanos::get, slept::add);
        for (Limit each : limits) {
            builder.limit(each);
        }
        return builder.build();
    }

    private LocalStore local() {
        return LocalStore.create(nowNanos::get, 2_000);
    }

    private long reported(String limit, Verdict outcome) {
        return (long) registry
                .find("weir.shadow.decisions")
                .tags("limit", limit, "outcome", outcome.name().toLowerCase(java.util.Locale.ROOT))
                .counters()
                .stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    private double missed(String limit) {
        return registry.get("weir.shadow.missed").tag("limit", limit).counter().count();
    }

    @Test
    void grantsWhateverItWouldDecideAndTellsWhatThatWouldBe() {
        Limiter limiter = over(local(), limit("new", 1).shadow().build()).limiter("new");
        Decision first = limiter.tryAcquire("ann");
        Decision second = limiter.tryAcquire("ann");
        Decision impossible = limiter.tryAcquire("ann", 2);

        assertThat(List.of(first, second, impossible)).allMatch(Decision::granted);
        assertThat(first.wouldDeny()).isFalse();
        assertThat(second.wouldDeny()).isTrue();
        assertThat(second.verdict()).isEqualTo(Verdict.DENIED);
        assertThat(second.retryAfter()).contains(Duration.ofSeconds(1));
        assertThat(impossible.verdict()).isEqualTo(Verdict.NEVER);
        assertThat(limiter.tryAcquireAsync("ann").join())
                .matches(Decision::granted)
                .matches(Decision::wouldDeny);
        assertThat(second.refund()).as("nothing was taken").isCompletedWithValue(false);
    }

    @Test
    void anEnforcedLimitThatDeniesIsNoShadowThatWould() {
        Limiter limiter = over(local(), limit("old", 1).build()).limiter("old");
        limiter.tryAcquire("ann");

        assertThat(limiter.tryAcquire("ann").granted()).isFalse();
        assertThat(limiter.tryAcquire("ann").wouldDeny()).isFalse();
    }

    @Test
    void neverWaits() throws InterruptedException {
        Limiter limiter = over(local(), limit("new", 1).shadow().build()).limiter("new");
        limiter.tryAcquire("ann");

        Decision decision = limiter.acquire("ann", 1, Duration.ofMinutes(1));

        assertThat(decision.granted()).isTrue();
        assertThat(decision.wouldDeny()).isTrue();
        assertThat(slept).isEmpty();
    }

    /** Each decision of a trace, and the report of it, beside what a limit decides that is enforced. */
    @Test
    void reportsWhatEnforcementWouldHaveDecided() {
        long seed = Long.getLong("weir.seed", new Random().nextLong());
        System.out.println("ShadowTest: -Dweir.seed=" + seed);
        Random random = new Random(seed);
        Weir trying = over(
                local(),
                limit("old", 2).build(),
                limit("new", 5).shadowOf("old").build());
        Weir enforcing = Weir.over(local())
                .limit(limit("new", 5).build())
                .time(nowNanos::get, slept::add)
                .build();
        Map<Verdict, Long> decided = new EnumMap<>(Verdict.class);
        for (int i = 0; i < 20_000; i++) {
            nowNanos.addAndGet(random.nextLong(200_000_000));
            String key = "key-" + random.nextInt(5);
            long permits = random.nextInt(7);
            if (random.nextBoolean()) {
                trying.limiter("old").tryAcquire(key, permits);
            } else {
                trying.limiter("old").tryAcquireAsync(key, permits).join();
            }
            Verdict enforced = enforcing.limiter("new").tryAcquire(key, permits).verdict();
            if (permits > 0) { // peeks are no decisions
                decided.merge(enforced, 1L, Long::sum);
                assertThat(reported("new", enforced)).as("step %d", i).isEqualTo(decided.get(enforced));
            }
        }
        for (Verdict each : Verdict.values()) {
            assertThat(reported("new", each)).isEqualTo(decided.get(each)).isPositive();
        }
        assertThat(missed("new")).isZero();
    }

    /** Nothing is charged for either, says acquire. */
    @Test
    void isNotAskedForAMistakeOrAnInterrupt() {
        Weir weir = over(
                local(),
                limit("old", 1).build(),
                limit("new", 9).shadowOf("old").build());
        Limiter limiter = weir.limiter("old");
        Duration negative = Duration.ofSeconds(-1);

        assertThatIllegalArgumentException().isThrownBy(() -> limiter.acquire("ann", 1, negative));
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.acquireAsync("ann", 1, negative));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> limiter.acquire("ann", 1, Duration.ZERO)).isInstanceOf(InterruptedException.class);

        assertThat(reported("new", Verdict.GRANTED)).isZero();
    }

    @Test
    void isAskedOnceForAWait() throws InterruptedException {
        Weir weir = Weir.over(local())
                .limit(limit("old", 1).build())
                .limit(limit("new", 9).shadowOf("old").build())
                .meters(MicrometerMeters.in(registry))
                .time(nowNanos::get, duration -> nowNanos.addAndGet(duration.toNanos()))
                .build();
        weir.limiter("old").tryAcquire("ann");

        assertThat(weir.limiter("old").acquire("ann", 1, Duration.ofMinutes(1)).granted())
                .isTrue();
        assertThat(reported("new", Verdict.GRANTED)).isEqualTo(2);
    }

    @Test
    void hasMetersOfItsOwn() {
        over(local(), limit("old", 1).build(), limit("new", 1).shadow().build());

        assertThat(registry.find("weir.decisions").tag("limit", "new").meters()).isEmpty();
        assertThat(registry.find("weir.shadow.decisions").tag("limit", "new").meters())
                .hasSameSizeAs(
                        registry.find("weir.decisions").tag("limit", "old").meters());
        assertThat(registry.find("weir.shadow.decisions").tag("limit", "old").meters())
                .isEmpty();
    }

    @Test
    void changesNothingWhileItsStoreIsAway() {
        Weir weir = beside(() -> CompletableFuture.failedFuture(
                new StoreUnavailableException(StoreUnavailableException.Reason.UNREACHABLE, "nobody there", null)));

        assertThat(weir.limiter("old").tryAcquire("ann").granted()).isTrue();
        assertThat(weir.limiter("old").tryAcquire("ann").granted()).isFalse();
        assertThat(reported("new", Verdict.DENIED)).as("its policy answers").isEqualTo(2);
        assertThat(weir.limiter("new").tryAcquireAsync("ann").join().granted()).isTrue();
    }

    @Test
    void countsWhatItsStoreThrowsAndSaysSoOnce() {
        AtomicInteger asked = new AtomicInteger();
        Weir weir = beside(() -> {
            if (asked.incrementAndGet() % 2 == 0) {
                throw new IllegalStateException("a bug");
            }
            return CompletableFuture.failedFuture(new IllegalStateException("a bug"));
        });
        try (LogLines log = new LogLines()) {
            for (int i = 0; i < 4; i++) {
                weir.limiter("old").tryAcquire("key-" + i);
            }

            assertThat(missed("new")).isEqualTo(4);
            assertThat(log.lines()).singleElement().asString().contains("Limit \"new\", which only reports,");
        }
    }

    @Test
    void isAskedOnlySoOftenAtOnce() {
        List<CompletableFuture<Answer>> waiting = new ArrayList<>();
        Weir weir = beside(() -> {
            CompletableFuture<Answer> answer = new CompletableFuture<>();
            waiting.add(answer);
            return answer;
        });
        for (int i = 0; i < Observation.MOST_IN_FLIGHT + 7; i++) {
            assertThat(weir.limiter("old").tryAcquire("key-" + i).granted()).isTrue();
        }
        assertThat(waiting).hasSize(Observation.MOST_IN_FLIGHT);
        assertThat(missed("new")).isEqualTo(7);

        StoreUnavailableException late =
                new StoreUnavailableException(StoreUnavailableException.Reason.DEADLINE, "too late", null);
        List.copyOf(waiting).forEach(each -> each.completeExceptionally(late));
        weir.limiter("old").tryAcquire("one more");
        assertThat(waiting).as("there is room again").hasSize(Observation.MOST_IN_FLIGHT + 1);
    }

    @Test
    void aSwitchThatIsOffCountsNothing() {
        Weir weir = over(local(), limit("new", 1).shadow().build());
        weir.limiter("new").switchOff();
        for (int i = 0; i < 3; i++) {
            assertThat(weir.limiter("new").tryAcquire("ann").wouldDeny()).isFalse();
        }
        weir.limiter("new").switchOn();
        assertThat(weir.limiter("new").tryAcquire("ann").wouldDeny()).isFalse();
        assertThat(weir.limiter("new").tryAcquire("ann").wouldDeny()).isTrue();
    }

    @Test
    void standsBesideALimitThatIsEnforced() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> over(local(), limit("new", 1).shadowOf("odl").build()))
                .withMessage(
                        "limit \"new\" is a shadow of \"odl\", which does not exist: there are only [new], and it can only"
                                + " stand beside a limit that is enforced");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> over(local(), limit("new", 1).shadowOf("new").build()))
                .withMessageContaining("which is a shadow itself");
    }

    @Test
    void isNotChangedIntoALimitThatIsEnforcedWhileItIsInUse() {
        Weir weir = over(local(), limit("new", 1).shadow().build());

        assertThatIllegalArgumentException()
                .isThrownBy(() -> weir.change(limit("new", 1).version(2).build()))
                .withMessage("limit \"new\" is a shadow, which cannot be changed while it is in use");
        weir.change(limit("new", 2).shadow().version(2).build());
        assertThat(weir.limiter("new").limit().isShadow()).isTrue();
    }

    @Test
    void keepsTheOrderInWhichLimitsWereAdded() {
        Weir weir = over(
                local(),
                limit("old", 1).build(),
                limit("new", 1).shadowOf("old").build(),
                limit("z", 1).build());

        assertThat(weir.limiters())
                .extracting(limiter -> limiter.limit().name())
                .containsExactly("old", "new", "z");
    }

    /** A shadow whose buckets answer by {@code script}, beside a limit of one whose buckets are in this JVM. */
    private Weir beside(Supplier<CompletableFuture<Answer>> script) {
        return over(
                new ShadowAway(local(), script),
                limit("old", 1).build(),
                limit("new", 1).shadowOf("old").build());
    }

    private record ShadowAway(LocalStore enforced, Supplier<CompletableFuture<Answer>> script) implements Store {

        @Override
        public Buckets buckets(String limit, Rule rule, Leasing leasing) {
            return limit.equals("new") ? new Scripted(script) : enforced.buckets(limit, rule, leasing);
        }

        @Override
        public OptionalInt nodes() {
            return enforced.nodes();
        }

        @Override
        public void close() {
            enforced.close();
        }
    }

    private record Scripted(Supplier<CompletableFuture<Answer>> script) implements Buckets {

        @Override
        public Answer take(String key, long permits, long deadlineNanos) {
            throw new UnsupportedOperationException("nobody may wait for a shadow");
        }

        @Override
        public CompletableFuture<Answer> takeAsync(String key, long permits, long deadlineNanos) {
            return script.get();
        }

        @Override
        public CompletableFuture<List<Answer>> decide(String key, List<Request> requests, long deadlineNanos) {
            throw new UnsupportedOperationException("nothing is given back");
        }

        @Override
        public void change(Rule rule) {
            throw new UnsupportedOperationException("nothing is changed");
        }
    }

    /** Nodes may hear of limits in an order in which one shadow would stand beside another. */
    @Test
    void nobodyStandsBesideAShadow() {
        Weir weir = over(
                local(),
                limit("new", 1).shadow().build(),
                limit("newer", 9).shadow().build());
        weir.limiter("new").beside(List.of(weir.limiter("newer")));

        weir.limiter("new").tryAcquire("ann");

        assertThat(reported("new", Verdict.GRANTED)).isEqualTo(1);
        assertThat(reported("newer", Verdict.GRANTED)).isZero();
    }
}
