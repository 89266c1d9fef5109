package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import io.weir.Administration;
import io.weir.Decision;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.store.Source;
import io.weir.store.contract.Grant;
import io.weir.store.contract.HistoryChecker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits, overrides and blocks that change while three members and a client use them. */
@Timeout(120)
class LiveLimitsTest {

    private static final Duration YEAR = Duration.ofDays(365);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private static TestCluster cluster;
    private static List<HazelcastInstance> instances;
    private static List<Weir> nodes;

    /** Held here: loggers are held weakly, and a line for each of thousands of changes helps nobody. */
    private static final Logger AUDIT = Logger.getLogger("io.weir.audit");

    @BeforeAll
    static void start() {
        AUDIT.setLevel(Level.OFF);
        cluster = TestCluster.of(3);
        cluster.awaitSafe();
        instances = new ArrayList<>(cluster.members());
        instances.add(cluster.addClient());
        nodes = instances.stream().map(LiveLimitsTest::node).toList();
    }

    private static Weir node(HazelcastInstance instance) {
        return Weir.over(HazelcastStore.join(instance, TestCluster.NAMESPACE))
                .limit(limit("configured", 1, 10))
                .build();
    }

    @AfterAll
    static void stop() {
        nodes.forEach(Weir::close);
        cluster.close();
        AUDIT.setLevel(null);
    }

    private static Limit limit(String name, long version, long capacity) {
        return Limit.named(name, FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(capacity, 1, YEAR))
                .deadline(LONG)
                .version(version)
                .build();
    }

    private static Administration by(int node) {
        return nodes.get(node).administration("ann");
    }

    private static List<Limiter> limiters(String name) {
        return nodes.stream().map(each -> each.limiter(name)).toList();
    }

    /** Defines a limit, and waits until it is everywhere. */
    private static List<Limiter> define(Limit limit) {
        by(0).define(limit);
        await(() -> nodes.stream()
                .allMatch(each ->
                        each.limiters().stream().anyMatch(one -> one.limit().equals(limit))));
        return limiters(limit.name());
    }

    private static long await(BooleanSupplier condition) {
        long began = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - began).as("waited for 30 s").isLessThan(30 * SECOND);
            LockSupport.parkNanos(500_000);
        }
        return System.nanoTime() - began;
    }

    private static long remaining(Limiter limiter, String key) {
        return limiter.peek(key).remaining().orElseThrow();
    }

    @Test
    void everyNodeGoesByAChangeWithinASecond() {
        List<Limiter> all = define(limit("changed", 1, 10));
        List<Long> tookNanos = new ArrayList<>();
        for (int i = 2; i <= 20; i++) {
            Limit next = limit("changed", i, 10L * i);
            String key = "key" + i;
            String tenant = "tenant" + i;
            by(i % 4).change(next);
            tookNanos.add(await(() -> all.stream().allMatch(each -> each.limit().equals(next))));
            by(i % 4).block("changed", key, YEAR, "");
            tookNanos.add(await(
                    () -> all.stream().allMatch(each -> each.tryAcquire(key).source() == Source.BLOCKED)));
            by(i % 4).override("changed", tenant, Bandwidth.of(7, 1, YEAR));
            tookNanos.add(await(
                    () -> all.stream().allMatch(each -> each.peek(tenant).capacity() == 7)));
        }
        tookNanos.sort(null);
        System.out.printf(
                "live limits: %d changes were everywhere after %.1f ms, the slowest after %.1f ms%n",
                tookNanos.size(), tookNanos.get(tookNanos.size() / 2) / 1e6, tookNanos.get(tookNanos.size() - 1) / 1e6);
        assertThat(tookNanos.get(tookNanos.size() * 9 / 10 - 1))
                .as("nine of ten: a machine under test stands still at times")
                .isLessThan(SECOND);
    }

    @Test
    void anOldNodeThatRestartsDoesNotTakeAChangeBack() {
        assertThat(nodes.get(1).limiter("configured").tryAcquire("bob", 4).granted())
                .isTrue();
        by(2).change(limit("configured", 2, 100));
        await(() -> limiters("configured").stream()
                .allMatch(each -> each.limit().rule().version() == 2));
        assertThat(remaining(nodes.get(3).limiter("configured"), "bob")).isEqualTo(60);

        try (Weir restarted = node(cluster.addClient())) {
            assertThat(restarted.limiter("configured").limit())
                    .as("before it decides anything")
                    .isEqualTo(limit("configured", 2, 100));
            assertThat(remaining(restarted.limiter("configured"), "bob")).isEqualTo(60);
        }
        assertThat(limiters("configured"))
                .allSatisfy(each -> assertThat(each.limit().rule().version()).isEqualTo(2));
    }

    @Test
    void aBlockedKeyCostsNoCall() {
        Limiter limiter = define(limit("blocked", 1, 1_000)).get(0);
        by(1).block(Administration.EVERY_LIMIT, "mallory", YEAR, "");
        AtomicInteger charged = new AtomicInteger(); // before the block has come here
        await(() -> {
            Decision decision = limiter.tryAcquire("mallory");
            charged.addAndGet(decision.granted() ? 1 : 0);
            return decision.source() == Source.BLOCKED;
        });

        Traffic before = Traffic.of(cluster.member(0));
        for (int i = 0; i < 1_000; i++) {
            assertThat(limiter.tryAcquire("mallory").granted()).isFalse();
        }
        Traffic traffic = Traffic.of(cluster.member(0)).since(before);

        assertThat(traffic.operations())
                .as("%s: reports and questions go on", traffic)
                .isLessThan(20);
        by(1).unblock(Administration.EVERY_LIMIT, "mallory");
        await(() -> limiter.tryAcquire("mallory").granted());
        assertThat(remaining(limiter, "mallory"))
                .as("nothing was charged while it was blocked")
                .isEqualTo(999 - charged.get());
    }

    @Test
    void anOverrideIsOneBucketWithItsBalanceCarriedOverAndBack() {
        List<Limiter> all = define(limit("plans", 1, 100));
        assertThat(all.get(1).tryAcquire("gold", 40).granted()).isTrue();

        by(0).override("plans", "gold", Bandwidth.of(1_000, 1, YEAR));
        await(() -> all.stream().allMatch(each -> each.peek("gold").capacity() == 1_000));
        assertThat(all).allSatisfy(each -> assertThat(remaining(each, "gold")).isEqualTo(600));
        assertThat(all.get(2).tryAcquire("gold", 500).granted()).isTrue();
        assertThat(remaining(all.get(3), "gold")).isEqualTo(100);
        assertThat(all.get(3).tryAcquire("silver", 500).impossible())
                .as("others as before")
                .isTrue();
        by(3).override("plans", "gold", Bandwidth.of(1_000, 1, YEAR));
        assertThat(remaining(all.get(3), "gold")).as("the same again").isEqualTo(100);

        by(1).change(limit("plans", 2, 50));
        await(() -> all.stream().allMatch(each -> each.limit().rule().version() == 2));
        assertThat(remaining(all.get(0), "gold")).as("its limit changed").isEqualTo(100);

        by(2).clearOverride("plans", "gold");
        await(() -> all.stream().allMatch(each -> each.peek("gold").capacity() == 50));
        assertThat(all).allSatisfy(each -> assertThat(remaining(each, "gold")).isEqualTo(5));
        by(1).change(limit("plans", 3, 500));
        await(() -> all.stream().allMatch(each -> each.peek("gold").capacity() == 500));
        assertThat(remaining(all.get(0), "gold")).isEqualTo(50);
    }

    @Test
    void theNumbersThatANewerConfigurationGivesAKeyHoldOnANodeWithAnOlderOne() {
        try (Weir older = node(0, tenants(1).build());
                Weir newer = node(1, tenants(2).override("gold", gold(1_000)).build())) {
            Limiter old = older.limiter("tenants");
            Limiter next = newer.limiter("tenants");
            assertThat(old.tryAcquire("gold", 40).granted()).isTrue();
            assertThat(remaining(next, "gold")).as("60 of 100").isEqualTo(600);
            assertThat(next.tryAcquire("gold", 100).granted()).isTrue();
            assertThat(old.tryAcquire("gold", 200).granted())
                    .as("more than it knows that there are")
                    .isTrue();
            assertThat(remaining(old, "gold")).isEqualTo(300);
            assertThat(next.tryAcquire("silver", 500).impossible())
                    .as("others as before")
                    .isTrue();

            newer.administration("ann").override("tenants", "gold", gold(50));
            await(() -> old.peek("gold").capacity() == 50 && next.peek("gold").capacity() == 50);
            assertThat(remaining(old, "gold")).isEqualTo(15);

            older.administration("ann").clearOverride("tenants", "gold");
            await(() -> next.peek("gold").capacity() == 1_000);
            assertThat(next.tryAcquire("gold", 100).granted()).isTrue();
            assertThat(old.peek("gold").capacity()).isEqualTo(1_000);
            assertThat(old.tryAcquire("gold", 100).remaining()).hasValue(100);

            try (Weir newest = node(2, tenants(3).build())) {
                assertThat(newest.limiter("tenants").tryAcquire("gold", 5).remaining())
                        .as("10 of 100, and 5 taken")
                        .hasValue(5);
                assertThat(next.peek("gold").capacity()).isEqualTo(100);
            }
        }
    }

    private static Weir node(int member, Limit limit) {
        return Weir.over(HazelcastStore.join(instances.get(member), TestCluster.NAMESPACE))
                .limit(limit)
                .build();
    }

    private static Limit.Builder tenants(long version) {
        return Limit.named("tenants", FailurePolicy.DENY)
                .bandwidth(gold(100))
                .deadline(LONG)
                .version(version);
    }

    private static Bandwidth gold(long capacity) {
        return Bandwidth.of(capacity, 1, YEAR);
    }

    /**
     * In a span of which {@code t1} lies before the change and {@code t2} after it, at most {@code max(B, B') + R*t1 + R'*t2} are
     * granted: what is there at the change is carried over in proportion, and what is lent has been taken from it.
     */
    @ParameterizedTest
    @CsvSource({"2000, 400", "400, 2000"})
    void theOldBoundHoldsBeforeAChangeUnderLoadAndTheNewOneAfter(long before, long after) throws Exception {
        String name = "ramp-" + before;
        Bandwidth old = Bandwidth.of(before, before, Duration.ofSeconds(1));
        Bandwidth next = Bandwidth.of(after, after, Duration.ofSeconds(1));
        List<Limiter> all = define(ramp(name, 1, old));
        Queue<Grant> grants = new ConcurrentLinkedQueue<>();
        AtomicLong decisions = new AtomicLong();
        AtomicLong failed = new AtomicLong();
        AtomicBoolean stopped = new AtomicBoolean();
        List<Thread> threads = all.stream()
                .map(each -> new Thread(() -> load(each, grants, decisions, failed, stopped)))
                .toList();
        long began = System.nanoTime();
        threads.forEach(Thread::start);
        LockSupport.parkNanos(2 * SECOND);
        long changing = System.nanoTime();
        by(1).change(ramp(name, 2, next));
        long changed = System.nanoTime();
        LockSupport.parkNanos(3 * SECOND);
        stopped.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        long ended = System.nanoTime();

        double perSecond = decisions.get() / ((ended - began) / 1e9);
        System.out.printf(
                "live limits: from %d/s to %d/s under %.0f decisions a second, %d grants%n",
                before, after, perSecond, grants.size());
        assertThat(perSecond).isGreaterThan(10_000);
        assertThat(failed).as("decisions that no owner made").hasValue(0);
        assertWithin(old, grants, 0, changing);
        assertWithin(
                next, grants, changed + SECOND, Long.MAX_VALUE); // all nodes know, and all leases of before have ended
        double most = Math.max(before, after) + before * ((changed - began) / 1e9) + after * ((ended - changing) / 1e9);
        assertThat((double) grants.size()).isLessThanOrEqualTo(most);
        assertThat(grants.stream()
                        .filter(each -> each.startNanos() > changed + SECOND)
                        .count())
                .as("and nothing is left unused")
                .isGreaterThan((long) (0.9 * after * ((ended - changed) / 1e9 - 1)));
    }

    private static Limit ramp(String name, long version, Bandwidth bandwidth) {
        return Limit.named(name, FailurePolicy.DENY)
                .bandwidth(bandwidth)
                .deadline(LONG)
                .version(version)
                .build();
    }

    private static void load(
            Limiter limiter, Queue<Grant> grants, AtomicLong decisions, AtomicLong failed, AtomicBoolean stopped) {
        while (!stopped.get()) {
            long asked = System.nanoTime();
            Decision decision = limiter.tryAcquire("tenant");
            decisions.incrementAndGet();
            if (decision.source() == Source.POLICY) {
                failed.incrementAndGet();
            }
            if (decision.granted()) {
                grants.add(new Grant(asked, System.nanoTime(), 1));
            }
        }
    }

    private static void assertWithin(Bandwidth bandwidth, Queue<Grant> grants, long fromNanos, long toNanos) {
        List<Grant> some = grants.stream()
                .filter(each -> each.startNanos() >= fromNanos && each.endNanos() <= toNanos)
                .toList();
        assertThat(HistoryChecker.of(bandwidth).check(some).greatestExcess()).isEmpty();
    }

    /** Of the same numbers, so that each permit can be accounted for; leases included. */
    @Test
    void nothingIsMintedOrLostWhileAnOverrideComesAndGoesUnderLoad() throws InterruptedException {
        long capacity = 200_000;
        List<Limiter> all = define(limit("load", 1, capacity));
        AtomicLong granted = new AtomicLong();
        AtomicBoolean stopped = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (Limiter limiter : all) {
            Thread thread = new Thread(() -> {
                while (!stopped.get()) {
                    if (limiter.tryAcquire("tenant", 3).granted()) {
                        granted.addAndGet(3);
                    }
                }
            });
            threads.add(thread);
            thread.start();
        }
        int changes = 0;
        long end = System.nanoTime() + 3 * SECOND;
        while (System.nanoTime() < end) {
            by(changes % 4).override("load", "tenant", Bandwidth.of(capacity, 1, YEAR));
            by((changes + 1) % 4).clearOverride("load", "tenant");
            changes += 2;
        }
        stopped.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        // what is leased goes back within the life of a lease
        await(() -> remaining(all.get(0), "tenant") + granted.get() == capacity || granted.get() > capacity);
        System.out.printf("live limits: %d grants through %d changes%n", granted.get() / 3, changes);
        assertThat(granted.get()).isLessThanOrEqualTo(capacity).isGreaterThan(1_000);
        assertThat(changes).isGreaterThan(20);
    }

    /** Exactly, on the owner; what nodes hold ahead of demand is out still. */
    @Test
    void aResetFillsTheBucketOnItsOwnerWhileLeasesAreOut() {
        List<Limiter> all = define(limit("reset", 1, 100_000));
        Limiter hot = all.get(1);
        while (hot.tryAcquire("bob", 10).source() != Source.LEASE) {
            // becomes hot
        }
        for (int i = 0; i < 100; i++) {
            assertThat(hot.tryAcquire("bob", 10).granted()).isTrue();
        }

        by(3).reset("reset", "bob");

        assertThat(remaining(all.get(3), "bob")).isLessThanOrEqualTo(100_000);
        await(() -> remaining(all.get(3), "bob") + by(1).look("reset", "bob").heldHere() >= 99_000);
        assertThat(by(2).look("reset", "bob").balance().source()).isEqualTo(Source.CLUSTER);
    }
}
