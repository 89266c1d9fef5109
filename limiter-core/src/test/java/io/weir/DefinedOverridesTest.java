package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.CarryOver;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.Directive;
import io.weir.store.Directives;
import io.weir.store.Leasing;
import io.weir.store.LocalStore;
import io.weir.store.Source;
import io.weir.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Numbers that a limit's definition gives single keys, in one JVM; over members it is {@code LiveLimitsTest}. */
class DefinedOverridesTest {

    private static final Duration DAY = Duration.ofDays(1);

    private final AtomicLong nowNanos = new AtomicLong(DAY.toNanos());
    private final LocalStore buckets = LocalStore.create(nowNanos::get, 1_000);
    private final ForgetfulDirectives directives = new ForgetfulDirectives(nowNanos::get);
    private final Store store = new AdministrationTest.OnOneClock(buckets, directives);

    private static Bandwidth of(long capacity) {
        return Bandwidth.of(capacity, 1, DAY);
    }

    private static Limit.Builder limit(long version, long capacity) {
        return Limit.named("a", FailurePolicy.DENY).bandwidth(of(capacity)).version(version);
    }

    /** Bob has a plan. */
    private static Limit planned(long version, long capacity, long ofBob) {
        return limit(version, capacity).override("bob", of(ofBob)).build();
    }

    private Weir over(Limit limit) {
        return Weir.over(store).limit(limit).time(nowNanos::get, duration -> {}).build();
    }

    @Test
    void countForTheirKeyAlone() throws InterruptedException {
        Weir weir = over(planned(1, 10, 1_000));
        Limiter limiter = weir.limiter("a");

        assertThat(limiter.tryAcquire("bob", 400).remaining()).hasValue(600);
        assertThat(limiter.tryAcquireAsync("bob", 100).join().remaining()).hasValue(500);
        assertThat(limiter.acquire("bob", 100, Duration.ZERO).remaining()).hasValue(400);
        assertThat(weir.tryAcquire(List.of(new Ask(limiter, "bob", 100))).granted())
                .isTrue();
        assertThat(weir.administration("ann").look("a", "bob").balance().remaining())
                .hasValue(300);
        assertThat(weir.administration("ann").look("a", "bob").balance().capacity())
                .isEqualTo(1_000);
        assertThat(weir.administration("ann").look("a", "bob").ownNumbers()).isEmpty();
        assertThat(limiter.tryAcquire("eve", 11).impossible()).isTrue();
        assertThat(limiter.tryAcquire("eve", 10).granted()).isTrue();
        assertThat(limiter.tryAcquire("eve").granted()).isFalse();
    }

    @Test
    void countForLongAndMalformedKeysToo() {
        String longer = "x".repeat(10_000);
        Limiter limiter = over(limit(1, 10)
                        .override(longer, of(1_000))
                        .override("\ud800", of(2_000))
                        .build())
                .limiter("a");

        assertThat(limiter.tryAcquire(longer, 400).remaining()).hasValue(600);
        assertThat(limiter.tryAcquire("\ud800", 400).remaining()).hasValue(1_600);
        assertThat(limiter.tryAcquire(longer + "x", 11).impossible()).isTrue();
        assertThat(limiter.tryAcquire("\ud801", 11).impossible()).isTrue();
    }

    @Test
    void giveWayToThoseSetAtRunTimeAndComeBack() {
        Limiter limiter = over(planned(1, 10, 1_000)).limiter("a");
        Administration ann = over(planned(1, 10, 1_000)).administration("ann");
        assertThat(limiter.tryAcquire("bob", 400).granted()).isTrue();

        ann.override("a", "bob", of(100));
        assertThat(limiter.peek("bob").capacity()).isEqualTo(100);
        assertThat(limiter.peek("bob").remaining()).hasValue(60);

        ann.clearOverride("a", "bob");
        assertThat(limiter.peek("bob").capacity()).isEqualTo(1_000);
        assertThat(limiter.peek("bob").remaining()).hasValue(600);

        directives.forgetAll();
        assertThat(limiter.tryAcquire("bob", 100).remaining()).hasValue(500);
        assertThat(limiter.peek("bob").capacity()).isEqualTo(1_000);

        ann.override("a", "bob", of(50));
        assertThat(limiter.peek("bob").capacity()).isEqualTo(50);
        assertThat(directives.all()).extracting(Directive::version).containsExactly(3L);
    }

    /** The oldest of those that are remembered after their directives were forgotten make way. */
    @Test
    void comeBackAlsoWhereNothingIsRememberedOfTheKeyAnyMore() {
        Limit limit = planned(7, 10, 1_000);
        Buckets own = buckets.buckets("a", limit.rule(), limit.leasing());
        Overrides overrides = new Overrides(limit, own, Returns.to(own));

        for (int i = 0; i <= Directives.MOST; i++) {
            String key = i == 0 ? "bob" : "key-" + i;
            Directive.Id id = Directive.Id.ofOverride("a", key);
            overrides.apply(new Directive(id, 2, new Directive.Withdrawn(), "ann", 1));
            overrides.forget(key);
        }

        Asked bob = Objects.requireNonNull(overrides.of("bob"));
        assertThat(bob.limit().bandwidths()).containsExactly(of(1_000));
        assertThat(bob.limit().rule().version()).isEqualTo(7);
        assertThat(overrides.of("key-1")).isNotNull();
    }

    @Test
    void changeWithTheirLimitAndCarryBalancesOver() {
        Weir weir = over(limit(1, 10)
                .override("bob", of(1_000))
                .override("eve", of(1_000))
                .build());
        Limiter limiter = weir.limiter("a");
        for (String key : List.of("bob", "eve")) {
            assertThat(limiter.tryAcquire(key, 400).granted()).isTrue();
        }
        assertThat(limiter.tryAcquire("joe", 4).granted()).isTrue();

        weir.change(
                limit(2, 10).override("bob", of(100)).override("joe", of(100)).build());

        assertThat(limiter.peek("bob").remaining()).as("other numbers").hasValue(60);
        assertThat(limiter.peek("joe").remaining()).as("new ones").hasValue(60);
        assertThat(limiter.peek("eve").remaining()).as("none any more").hasValue(6);
        assertThat(limiter.peek("eve").capacity()).isEqualTo(10);
        weir.change(limit(3, 20).build());
        assertThat(limiter.peek("bob").remaining()).hasValue(12);
        assertThat(limiter.peek("eve").remaining()).hasValue(12);
        assertThat(limiter.asking().overrides().isEmpty())
                .as("nothing is left of them")
                .isTrue();
    }

    /** By numbers of its limit that have changed since, its balance would be brought to those first, and then once more. */
    @Test
    void areLetGoOfOnceTheLimitThatTheirKeyGoesByIsInForce() {
        List<String> told = new ArrayList<>();
        Weir weir = Weir.over(new Told(told)).limit(planned(1, 10, 1_000)).build();
        told.clear();

        weir.change(limit(2, 100).carryOver(CarryOver.AS_IS).build());

        assertThat(told).containsExactly("override bob 2", "change 2", "override bob -");
    }

    /** What buckets are told of rules. */
    private final class Told implements Store {
        private final List<String> told;

        private Told(List<String> told) {
            this.told = told;
        }

        @Override
        public Buckets buckets(String limit, Rule rule, Leasing leasing) {
            Buckets all = buckets.buckets(limit, rule, leasing);
            return new Buckets() {
                @Override
                public Answer take(String key, long permits, long deadlineNanos) {
                    return all.take(key, permits, deadlineNanos);
                }

                @Override
                public CompletableFuture<Answer> takeAsync(String key, long permits, long deadlineNanos) {
                    return all.takeAsync(key, permits, deadlineNanos);
                }

                @Override
                public CompletableFuture<List<Answer>> decide(String key, List<Request> requests, long deadlineNanos) {
                    return all.decide(key, requests, deadlineNanos);
                }

                @Override
                public void change(Rule changed) {
                    told.add("change " + changed.version());
                }

                @Override
                public void override(String storedKey, @Nullable Rule own) {
                    told.add("override " + storedKey + " " + (own == null ? "-" : own.version()));
                }
            };
        }

        @Override
        public OptionalInt nodes() {
            return OptionalInt.of(1);
        }

        @Override
        public void close() {}
    }

    @Test
    void areAPartOfTheNumbersOfAVersion() {
        Weir weir = over(planned(5, 10, 1_000));

        for (Limit other : List.of(
                planned(5, 10, 1_001),
                limit(5, 10).build(),
                limit(5, 10).override("bob", of(1_000)).override("eve", of(1)).build())) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> weir.change(other))
                    .withMessage("limit \"a\" is at version 5 already, with other overrides: raise the version");
        }
        weir.change(planned(5, 10, 1_000));
        assertThat(weir.limiter("a").limit()).isEqualTo(planned(5, 10, 1_000));
    }

    @Test
    void stayWhereTheLimitIsChangedForAllNodes() {
        Weir here = over(planned(1, 10, 1_000));
        Weir there = over(planned(1, 10, 1_000));
        Administration ann = here.administration("ann");
        assertThat(there.limiter("a").tryAcquire("bob", 400).granted()).isTrue();

        ann.change(limit(2, 20).build());

        assertThat(there.limiter("a").limit()).isEqualTo(planned(2, 20, 1_000));
        assertThat(there.limiter("a").peek("bob").remaining()).hasValue(600);
        assertThat(there.limiter("a").peek("bob").capacity()).isEqualTo(1_000);
        assertThat(over(planned(1, 10, 1_000)).limiter("a").limit())
                .as("a node that is started later")
                .isEqualTo(planned(2, 20, 1_000));
        ann.change(here.limiter("a").limit().withBandwidths(3, List.of(of(30))));
        assertThat(there.limiter("a").limit()).isEqualTo(planned(3, 30, 1_000));
        ann.change(planned(3, 30, 1_000));
        assertThat(directives.all()).extracting(Directive::version).containsExactly(3L);
    }

    @Test
    void areCountedByTheAlgorithmThatTheLimitIsChangedTo() {
        Weir weir = over(limit(1, 10).override("bob", of(20)).exact().build());
        Administration ann = weir.administration("ann");
        ann.override("a", "eve", of(30));

        ann.change(limit(2, 10).algorithm(Algorithm.Kind.LEAKY_BUCKET).build());

        for (String key : List.of("bob", "eve", "joe")) {
            assertThat(weir.limiter("a").tryAcquire(key).granted()).as(key).isTrue();
            assertThat(weir.limiter("a").tryAcquire(key).granted())
                    .as("%s, at the same instant", key)
                    .isFalse();
        }
    }

    @Test
    void keepALimitFromAnAlgorithmThatCannotCountByThem() {
        Weir weir = over(planned(1, 10, 20));
        Limit windows = Limit.named("a", FailurePolicy.DENY)
                .bandwidth(Bandwidth.perWindow(10, DAY))
                .algorithm(Algorithm.Kind.FIXED_WINDOW)
                .version(2)
                .build();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> weir.administration("ann").change(windows))
                .withMessageContaining("limit \"a\" counts by FIXED_WINDOW, and a key has numbers of its own");
        assertThat(weir.limiter("a").limit().rule().version()).isEqualTo(1);
    }

    /** The store outlives the first, which nobody refers to any more. */
    @Test
    void areNotThoseOfAnOlderDefinition() {
        over(planned(1, 10, 1_000));
        Limiter limiter = over(limit(2, 10).build()).limiter("a");

        assertThat(limiter.tryAcquire("bob", 500).impossible()).isTrue();
        assertThat(limiter.tryAcquire("bob", 10).granted()).isTrue();
        assertThat(limiter.tryAcquire("bob").granted()).isFalse();
    }

    @Test
    void areNotDefinedForAllNodes() {
        Weir weir = over(planned(1, 10, 1_000));
        Administration ann = weir.administration("ann");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.define(planned(1, 10, 1_000)))
                .withMessageContaining("is to be defined for all nodes")
                .withMessageContaining("set each by override(..)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.change(planned(2, 10, 1_001)))
                .withMessageContaining("is to be changed for all nodes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.change(limit(1L << 44, 10).build()))
                .withMessageContaining("limit \"a\" has version 17592186044416");
        assertThat(directives.all()).isEmpty();
        assertThat(weir.limiter("a").limit()).isEqualTo(planned(1, 10, 1_000));
    }

    @Test
    void areDividedInAnOutage() {
        FaultyStore away = new FaultyStore(nowNanos, OptionalInt.of(10));
        Weir weir = Weir.over(away)
                .limit(Limit.named("a", FailurePolicy.LOCAL_SHARE)
                        .bandwidth(of(20))
                        .override("bob", of(1_000))
                        .build())
                .time(nowNanos::get, duration -> {})
                .build();
        away.failWith(FaultyStore.unreachable());

        for (int i = 0; i < 2; i++) {
            Decision decision = weir.limiter("a").tryAcquire("bob", 50);
            assertThat(decision.granted()).isTrue();
            assertThat(decision.source()).isEqualTo(Source.SHARE);
            assertThat(weir.limiter("a").tryAcquire("eve").granted()).isTrue();
        }
        assertThat(weir.limiter("a").tryAcquire("bob").granted()).isFalse();
        assertThat(weir.limiter("a").tryAcquire("eve").granted()).isFalse();
        assertThat(weir.limiter("a").tryAcquire("bob", 1_001).impossible()).isTrue();
    }
}
