package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.algorithm.Bandwidth;
import io.weir.store.LeaseCounts;
import io.weir.store.LocalStore;
import io.weir.store.OwnerHealth;
import io.weir.store.Source;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class MicrometerMetersTest {

    private final AtomicLong nowNanos = new AtomicLong();
    private final FaultyStore store = new FaultyStore(nowNanos, OptionalInt.of(1));
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Weir weir = Weir.over(store)
            .limit(limit("login", FailurePolicy.DENY))
            .limit(limit("search", FailurePolicy.GRANT))
            .limit(limit("api", FailurePolicy.LOCAL_SHARE))
            .meters(MicrometerMeters.in(registry))
            .time(nowNanos::get, duration -> nowNanos.addAndGet(duration.toNanos()))
            .build();

    private static Limit limit(String name, FailurePolicy policy) {
        return Limit.named(name, policy)
                .bandwidth(Bandwidth.of(1, 1, Duration.ofDays(1)))
                .deadline(Duration.ofMillis(30))
                .build();
    }

    private double decisions(String limit, String outcome, String source) {
        return registry.get("weir.decisions")
                .tags("limit", limit, "outcome", outcome, "source", source)
                .counter()
                .count();
    }

    @Test
    void hasTheSameTagKeysOnEveryMeterOfOneName() {
        Map<String, Set<List<String>>> keys = registry.getMeters().stream()
                .map(Meter::getId)
                .collect(Collectors.groupingBy(
                        Meter.Id::getName,
                        Collectors.mapping(
                                id -> id.getTags().stream().map(Tag::getKey).toList(), Collectors.toSet())));

        assertThat(keys)
                .containsOnly(
                        Map.entry("weir.decisions", Set.of(List.of("limit", "outcome", "source"))),
                        Map.entry("weir.lease.permits", Set.of(List.of("event", "limit"))),
                        Map.entry("weir.store.call", Set.of(List.of("limit", "outcome"))),
                        Map.entry("weir.fallback.seconds", Set.of(List.of("limit", "policy"))),
                        Map.entry("weir.penalties", Set.of(List.of("limit"))),
                        Map.entry("weir.penalty.missed", Set.of(List.of("limit"))),
                        Map.entry("weir.headroom", Set.of(List.of("limit"))));
    }

    @Test
    void spellsTagValuesInLowerCase() {
        Set<String> values = registry.getMeters().stream()
                .flatMap(meter -> meter.getId().getTags().stream())
                .filter(tag -> !tag.getKey().equals("limit"))
                .map(Tag::getValue)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(values)
                .containsExactly(
                        "answered",
                        "asked",
                        "blocked",
                        "cluster",
                        "denied",
                        "deny",
                        "deny_cache",
                        "forfeited",
                        "grant",
                        "granted",
                        "lease",
                        "local",
                        "local_share",
                        "never",
                        "policy",
                        "returned",
                        "share",
                        "spent",
                        "switched_off",
                        "unavailable");
    }

    @Test
    void countsDecisionsByOutcomeAndSourceButNoPeeks() {
        Limiter login = weir.limiter("login");
        login.tryAcquire("a");
        login.tryAcquireAsync("a").join();
        login.tryAcquire("a", 2);
        login.peek("b");
        login.switchOff();
        login.tryAcquire("a");

        assertThat(decisions("login", "granted", "local")).isEqualTo(1);
        assertThat(decisions("login", "denied", "local")).isEqualTo(1);
        assertThat(decisions("login", "never", "local")).isEqualTo(1);
        assertThat(decisions("login", "granted", "switched_off")).isEqualTo(1);
    }

    @Test
    void countsOneDecisionForAWait() throws InterruptedException {
        Limiter login = weir.limiter("login");
        login.tryAcquire("a");

        assertThat(login.acquire("a", 1, Duration.ofDays(1)).granted()).isTrue();
        assertThat(decisions("login", "granted", "local")).isEqualTo(2);
        assertThat(decisions("login", "denied", "local")).isZero();

        assertThat(login.acquire("a", 1, Duration.ofHours(1)).granted()).isFalse();
        assertThat(decisions("login", "granted", "local")).isEqualTo(2);
        assertThat(decisions("login", "denied", "local")).isEqualTo(1);
    }

    @Test
    void countsEveryDecisionOfAnOutage() {
        store.failWith(FaultyStore.unreachable());
        for (int i = 0; i < 1_000; i++) {
            for (Limiter limiter : weir.limiters()) {
                limiter.tryAcquire("a");
            }
            nowNanos.addAndGet(Duration.ofMillis(10).toNanos());
        }

        weir.tend();
        assertThat(decisions("login", "denied", "policy")).isEqualTo(1_000);
        assertThat(decisions("search", "granted", "policy")).isEqualTo(1_000);
        assertThat(decisions("api", "granted", "share")).isEqualTo(1);
        assertThat(decisions("api", "denied", "share")).isEqualTo(999);
        assertThat(registry.get("weir.fallback.seconds")
                        .tags("limit", "login", "policy", "deny")
                        .counter()
                        .count())
                .isEqualTo(10, within(1e-9));
    }

    @Test
    void gaugesWhatIsLeftToTheBusiestKey() {
        SimpleMeterRegistry watching = new SimpleMeterRegistry();
        Weir watched = Weir.over(LocalStore.create(nowNanos::get, 10))
                .limit(Limit.named("api", FailurePolicy.DENY)
                        .bandwidth(Bandwidth.of(10, 10, Duration.ofDays(1)))
                        .build())
                .watchKeys(KeyWatch.create())
                .meters(MicrometerMeters.in(watching))
                .time(nowNanos::get, duration -> {})
                .build();
        Gauge headroom = watching.get("weir.headroom").tag("limit", "api").gauge();
        assertThat(headroom.value()).isNaN();

        watched.limiter("api").tryAcquire("a", 3);
        watched.limiter("api").tryAcquire("b");
        assertThat(headroom.value()).isEqualTo(0.7);
        watched.limiter("api").tryAcquire("b", 9);
        assertThat(headroom.value()).isZero();

        watched.close();
        assertThat(headroom.value()).isNaN();
    }

    @Test
    void knowsOfNoHeadroomIfKeysAreNotWatched() {
        weir.limiter("login").tryAcquire("a");

        assertThat(registry.get("weir.headroom").tag("limit", "login").gauge().value())
                .isNaN();
    }

    @Test
    void gaugesTheMembersThereAre() {
        OwnerHealth one = new OwnerHealth("10.0.0.1:5701", OwnerHealth.State.REACHABLE, Duration.ZERO, null);
        OwnerHealth two = new OwnerHealth("10.0.0.2:5701", OwnerHealth.State.UNREACHABLE, Duration.ZERO, "no answer");
        OwnerHealth again = new OwnerHealth("10.0.0.2:5701", OwnerHealth.State.REACHABLE, Duration.ZERO, null);

        store.ownedBy(one, two);
        weir.tend();
        assertThat(memberStates()).isEqualTo(Map.of("10.0.0.1:5701", 0.0, "10.0.0.2:5701", 1.0));
        store.ownedBy(again);
        weir.tend();
        assertThat(memberStates()).isEqualTo(Map.of("10.0.0.2:5701", 0.0));
    }

    @Test
    void showsNoMembersOnceClosed() {
        store.ownedBy(new OwnerHealth("10.0.0.1:5701", OwnerHealth.State.REACHABLE, Duration.ZERO, null));
        weir.tend();
        weir.close();
        assertThat(memberStates()).isEmpty();

        weir.tend(); // a round that was under way
        assertThat(memberStates()).isEmpty();
    }

    private Map<String, Double> memberStates() {
        return registry.find("weir.breaker.state").gauges().stream()
                .collect(Collectors.toMap(gauge -> gauge.getId().getTag("member"), Gauge::value));
    }

    @Test
    void timesTheStoreByWhetherItAnswered() {
        Limiter login = weir.limiter("login");
        store.answerFrom(Source.CLUSTER);
        login.tryAcquire("a");
        store.hang();
        login.tryAcquire("a");

        assertThat(answeredCalls()).isEqualTo(1);
        assertThat(registry.get("weir.store.call")
                        .tags("limit", "login", "outcome", "unavailable")
                        .timer()
                        .totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(30);
    }

    @Test
    void timesNothingThatIsDecidedInMemory() {
        weir.limiter("login").tryAcquire("a");
        weir.limiter("login").tryAcquireAsync("a").join();

        assertThat(answeredCalls()).isZero();
    }

    @Test
    void readsNoClockForALocalStore() {
        AtomicLong readings = new AtomicLong();
        try (Weir local = Weir.over(LocalStore.create())
                .limit(limit("login", FailurePolicy.DENY))
                .meters(MicrometerMeters.in(registry))
                .time(readings::incrementAndGet, duration -> {})
                .build()) {
            long before = readings.get();

            local.limiter("login").tryAcquire("a");
            local.limiter("login").tryAcquireAsync("a").join();

            assertThat(readings).hasValue(before);
        }
    }

    private long answeredCalls() {
        return registry.get("weir.store.call")
                .tags("limit", "login", "outcome", "answered")
                .timer()
                .count();
    }

    @Test
    void readsWhatBecameOfLeasesWhenItIsAsked() {
        AtomicReference<LeaseCounts> counts = new AtomicReference<>(LeaseCounts.NONE);
        Meters.OfLimit leased = MicrometerMeters.in(registry).of("leased", FailurePolicy.DENY);
        leased.leases(counts::get);
        counts.set(new LeaseCounts(50, 40, 30, 7, 3));

        assertThat(registry.find("weir.lease.permits").tags("limit", "leased").functionCounters().stream()
                        .collect(Collectors.toMap(
                                counter -> counter.getId().getTag("event"), counter -> (long) counter.count())))
                .isEqualTo(Map.of("asked", 50L, "granted", 40L, "spent", 30L, "returned", 7L, "forfeited", 3L));
    }

    /** As after a restart within one JVM. */
    @Test
    void readsLeasesAndHeadroomOfTheLastWeir() {
        Meters.OfLimit first = MicrometerMeters.in(registry).of("again", FailurePolicy.DENY);
        first.leases(() -> new LeaseCounts(5, 4, 3, 2, 1));
        first.headroom(() -> Double.NaN);
        Meters.OfLimit second = MicrometerMeters.in(registry).of("again", FailurePolicy.DENY);
        second.leases(() -> new LeaseCounts(50, 40, 30, 7, 3));
        second.headroom(() -> 0.5);

        assertThat(registry.get("weir.headroom").tag("limit", "again").gauge().value())
                .isEqualTo(0.5);
        assertThat(registry.get("weir.lease.permits")
                        .tags("limit", "again", "event", "spent")
                        .functionCounter()
                        .count())
                .isEqualTo(30);
        assertThat(registry.find("weir.lease.permits").tag("limit", "api").functionCounters())
                .hasSize(5);
    }
}
