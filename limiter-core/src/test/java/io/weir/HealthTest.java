package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.LimitHealth.State;
import io.weir.algorithm.Bandwidth;
import io.weir.store.LocalStore;
import io.weir.store.OwnerHealth;
import io.weir.store.StoreUnavailableException.Reason;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class HealthTest {

    private static final Duration DAY = Duration.ofDays(1);

    private final AtomicLong nowNanos = new AtomicLong();
    private final FaultyStore store = new FaultyStore(nowNanos, OptionalInt.of(1));
    private final BlockingQueue<LimitHealth> told = new LinkedBlockingQueue<>();

    private static Limit limit(FailurePolicy policy) {
        return Limit.named(policy.name(), policy)
                .bandwidth(Bandwidth.of(10, 1, DAY))
                .build();
    }

    private Weir.Builder builder() {
        Weir.Builder builder = Weir.over(store);
        Stream.of(FailurePolicy.values()).map(HealthTest::limit).forEach(builder::limit);
        return builder.onChange(told::add);
    }

    private Weir weir() {
        return builder()
                .time(nowNanos::get, duration -> nowNanos.addAndGet(duration.toNanos()))
                .build();
    }

    private LimitHealth nextTold() throws InterruptedException {
        LimitHealth next = told.poll(30, TimeUnit.SECONDS);
        assertThat(next).as("told within 30 s").isNotNull();
        return next;
    }

    private void pass(Duration time) {
        nowNanos.addAndGet(time.toNanos());
    }

    /** K-24: a thousand requests under each policy, and a store that fails each of them. */
    @Test
    void showsAnOutageUnderEveryPolicyUntilItIsOver() {
        try (LogLines log = new LogLines();
                Weir weir = weir()) {
            assertThat(weir.health().isExact()).isTrue();
            store.failWith(FaultyStore.unreachable());
            for (int i = 0; i < 1_000; i++) {
                weir.limiters().forEach(limiter -> limiter.tryAcquire("key"));
                pass(Duration.ofMillis(1));
            }

            Health health = weir.health();

            assertThat(health.isExact()).isFalse();
            assertThat(health.limits()).extracting(LimitHealth::limit).containsExactly("DENY", "GRANT", "LOCAL_SHARE");
            assertThat(health.limits())
                    .allSatisfy(each -> assertThat(each)
                            .isEqualTo(new LimitHealth(
                                    each.limit(),
                                    State.DEGRADED,
                                    Duration.ofSeconds(1),
                                    FailurePolicy.valueOf(each.limit()),
                                    Reason.UNREACHABLE,
                                    "the owner left",
                                    1_000,
                                    Duration.ofSeconds(1))));
            assertThat(log.lines()).hasSize(3);

            store.recover();
            pass(Outage.QUIET);
            weir.limiters().forEach(limiter -> limiter.tryAcquire("key"));
            assertThat(weir.health().isExact()).isTrue();
            assertThat(log.lines()).hasSize(6);
        }
    }

    @Test
    void tellsAListenerOfEachChangeThoughNobodyAsksAnyMore() throws InterruptedException {
        try (Weir weir = weir()) {
            store.failWith(FaultyStore.unreachable());
            weir.limiter("DENY").tryAcquire("key");
            weir.tend();
            assertThat(nextTold().state()).isEqualTo(State.DEGRADED);

            pass(Outage.SILENCE);
            weir.tend();

            LimitHealth last = nextTold();
            assertThat(last.limit()).isEqualTo("DENY");
            assertThat(last.state()).isEqualTo(State.EXACT);
            assertThat(last.inFallback()).isEqualTo(Outage.SILENCE);
        }
    }

    /** The same with the clock and the threads of a real application. */
    @Test
    @Timeout(60)
    void runsByItselfOnADaemonThatEndsWhenItIsClosed() throws InterruptedException {
        Set<Thread> before = upkeeps();
        Weir weir = builder().build();
        store.failWith(FaultyStore.unreachable());
        weir.limiter("GRANT").tryAcquire("key");
        assertThat(nextTold().state()).isEqualTo(State.DEGRADED);
        Set<Thread> after = upkeeps();
        after.removeAll(before);

        weir.close();
        weir.close();

        assertThat(after).hasSize(1).allMatch(Thread::isDaemon);
        for (Thread each : after) {
            each.join();
        }
        assertThat(weir.limiter("GRANT").tryAcquire("key").granted()).isTrue();
    }

    private static Set<Thread> upkeeps() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("weir-upkeep"))
                .collect(Collectors.toSet());
    }

    /** A failure of meters, which are the user's, is no reason not to look after limits. */
    @Test
    void doesNotDependOnMeters() throws InterruptedException {
        Meters broken = new Meters() {
            @Override
            public OfLimit of(String limit, FailurePolicy policy) {
                return new MetersOfNothing();
            }

            @Override
            public void owners(List<OwnerHealth> owners) {
                throw Sneaky.thrown(new IOException("registry closed")); // as Kotlin and Scala may
            }
        };
        try (LogLines log = new LogLines();
                Weir weir = builder()
                        .meters(broken)
                        .time(nowNanos::get, duration -> {})
                        .build()) {
            store.failWith(FaultyStore.unreachable());
            for (int i = 0; i < 10; i++) {
                weir.tend();
            }
            weir.limiter("DENY").tryAcquire("key");
            weir.tend();

            assertThat(nextTold().state()).isEqualTo(State.DEGRADED);
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("could not be looked after"))
                    .hasSize(1);
        }
    }

    /** The first goes on all along: it may not hide the others. */
    @Test
    void speaksOnceOfEachThingThatGoesWrong() {
        RuntimeException[] second = {null};
        Meters broken = new Meters() {
            @Override
            public OfLimit of(String limit, FailurePolicy policy) {
                return new MetersOfNothing() {
                    @Override
                    public void inFallback(long nanos) {
                        throw new IllegalStateException("counter closed");
                    }
                };
            }

            @Override
            public void owners(List<OwnerHealth> owners) {
                if (second[0] != null) {
                    throw second[0];
                }
            }
        };
        try (LogLines log = new LogLines();
                Weir weir = Weir.over(store)
                        .limit(limit(FailurePolicy.GRANT))
                        .meters(broken)
                        .time(nowNanos::get, duration -> {})
                        .build()) {
            store.failWith(FaultyStore.unreachable());
            weir.limiter("GRANT").tryAcquire("key");
            for (int i = 0; i < 9; i++) {
                if (i == 3) {
                    second[0] = new IllegalStateException("registry closed");
                } else if (i == 6) {
                    second[0] = new IllegalStateException("registry full");
                }
                pass(Duration.ofMillis(1));
                weir.tend();
            }

            assertThat(log.lines())
                    .filteredOn(line -> line.contains("could not be looked after"))
                    .hasSize(3);
        }
    }

    @Test
    void tellsOfTheMembersThatOwnBuckets() {
        try (Weir weir = weir()) {
            assertThat(weir.health().owners()).isEmpty();
            OwnerHealth away =
                    new OwnerHealth("10.0.0.1:5701", OwnerHealth.State.UNREACHABLE, Duration.ofSeconds(3), "no answer");
            store.ownedBy(away);

            assertThat(weir.health().owners()).containsExactly(away);
        }
    }

    @Test
    @Timeout(60)
    void looksAfterNothingOnceItsLimitersAreForgotten() {
        Upkeep upkeep = forgotten();
        WeakReference<Object> other = new WeakReference<>(new Object());
        while (other.get() != null) {
            System.gc();
        }

        assertThat(upkeep.run()).isFalse();
    }

    private static Upkeep forgotten() {
        Weir weir = Weir.over(LocalStore.create())
                .limit(limit(FailurePolicy.DENY))
                .time(() -> 0, duration -> {})
                .build();
        Upkeep upkeep = new Upkeep(weir.limiters(), LocalStore.create(), null, null, null);
        assertThat(upkeep.run()).isTrue();
        return upkeep;
    }
}
