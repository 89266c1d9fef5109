package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import io.weir.Administration;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Penalty;
import io.weir.algorithm.Rule;
import io.weir.store.Buckets;
import io.weir.store.Directive;
import io.weir.store.Leasing;
import io.weir.store.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Strikes and cool-downs of three members and a client. */
@Timeout(180)
class ClusterPenaltiesTest {

    private static final Duration YEAR = Duration.ofDays(365);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Held here: loggers are held weakly. */
    private static final Logger AUDIT = Logger.getLogger("io.weir.audit");

    private TestCluster cluster;
    private List<HazelcastInstance> instances;
    private List<HazelcastStore> stores;
    private List<Weir> nodes;

    @BeforeAll
    static void silence() {
        AUDIT.setLevel(Level.OFF);
    }

    @AfterAll
    static void speak() {
        AUDIT.setLevel(null);
    }

    @BeforeEach
    void start() {
        cluster = TestCluster.of(3);
        cluster.awaitSafe();
        instances = new ArrayList<>(cluster.members());
        instances.add(cluster.addClient());
        stores = instances.stream()
                .map(each -> HazelcastStore.join(each, TestCluster.NAMESPACE))
                .toList();
        nodes = stores.stream().map(ClusterPenaltiesTest::node).toList();
    }

    @AfterEach
    void stop() {
        nodes.forEach(Weir::close);
        cluster.close();
    }

    private static Weir node(HazelcastStore store) {
        return Weir.over(store)
                .limit(limit("login", Penalty.standard()))
                .limit(limit(
                        "short", Penalty.standard().withCooldown(Duration.ofMillis(300), Duration.ofMillis(1_500))))
                .build();
    }

    private static Limit limit(String name, Penalty penalty) {
        return Limit.named(name, FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(1, 1, YEAR))
                .deadline(Duration.ofSeconds(30))
                .penalty(penalty)
                .build();
    }

    private Limiter limiter(int node, String limit) {
        return nodes.get(node).limiter(limit);
    }

    private Administration by(int node) {
        return nodes.get(node).administration("ann");
    }

    private List<Directive.Block> penalties(int node, String key) {
        return by(node).penalties(1_000).stream()
                .filter(each -> each.id().key().equals(key))
                .map(each -> (Directive.Block) each.content())
                .toList();
    }

    private static void await(BooleanSupplier condition) {
        long giveUpNanos = System.nanoTime() + 30 * SECOND;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - giveUpNanos).as("waited for 30 s").isNegative();
            LockSupport.parkNanos(500_000);
        }
    }

    /** Long enough for a strike that calls for a cool-down to have called for it. */
    private static void settle() {
        long untilNanos = System.nanoTime() + SECOND / 2;
        while (untilNanos - System.nanoTime()
                > 0) { // it may return at once: a permit is left by who was waited for before
            LockSupport.parkNanos(untilNanos - System.nanoTime());
        }
    }

    private void awaitBlocked(String limit, String key, int... onNodes) {
        for (int node : onNodes) {
            await(() -> limiter(node, limit).tryAcquire(key).source() == Source.BLOCKED);
        }
    }

    @Test
    void strikesOfThreeNodesCountTogetherAndABlockedKeyCostsNoOperationOnAnyNode() {
        assertThat(limiter(3, "login").tryAcquire("bob").granted()).isTrue();
        for (int node = 0; node < 3; node++) {
            assertThat(limiter(node, "login").tryAcquire("bob").granted()).isFalse();
        }
        settle();
        assertThat(penalties(0, "bob")).as("as many as it may have").isEmpty();

        assertThat(limiter(3, "login").tryAcquire("bob").source()).isNotEqualTo(Source.BLOCKED);
        awaitBlocked("login", "bob", 0, 1, 2, 3);
        assertThat(penalties(1, "bob")).extracting(Directive.Block::level).containsExactly(1);
        settle(); // what the four have been denied meanwhile

        List<Traffic> before = cluster.members().stream().map(Traffic::of).toList();
        for (int i = 0; i < 1_000; i++) {
            for (int node = 0; node < 4; node++) {
                assertThat(limiter(node, "login").tryAcquire("bob").source()).isEqualTo(Source.BLOCKED);
                limiter(node, "login").strike("bob");
            }
        }
        for (int i = 0; i < 3; i++) {
            Traffic traffic = Traffic.of(cluster.member(i)).since(before.get(i));
            assertThat(traffic.operations())
                    .as("%s: reports and questions go on", traffic)
                    .isLessThan(40);
        }
        assertThat(penalties(3, "bob")).extracting(Directive.Block::level).containsExactly(1);
        assertThat(limiter(2, "login").tryAcquire("eve").granted()).isTrue();
    }

    /** Also of a cool-down that is over by now. */
    private Optional<Directive> said(int node) {
        return said(node, "short", "bob");
    }

    private Optional<Directive> said(int node, String limit, String key) {
        return stores.get(node).directives().find(Directive.Id.ofBlock(limit, key));
    }

    @Test
    void coolDownsEscalateOverAllNodes() {
        List<Long> millis = new ArrayList<>();
        for (int level = 1; level <= 5; level++) {
            int version = level;
            int node = level % 4;
            await(() -> by(node).look("short", "bob").blockedFor().isZero());
            await(
                    () -> { // again: as a cool-down ends, some node may still take it to go on
                        limiter(node, "short").strike("bob");
                        return said(node)
                                .filter(one -> one.version() == version)
                                .isPresent();
                    });
            for (int each = 0; each < 4; each++) {
                int there = each;
                await(() -> said(there).filter(one -> one.version() == version).isPresent());
            }
            Directive told = said(node).orElseThrow();
            Directive.Block block = (Directive.Block) told.content();
            assertThat(block.level()).isEqualTo(level);
            millis.add(block.endMillis() - told.setMillis());
        }
        assertThat(millis).containsExactly(300L, 600L, 1_200L, 1_500L, 1_500L);
    }

    @Test
    void nodesThatStrikeAtOnceEscalateOnce() throws InterruptedException {
        for (int round = 0; round < 20; round++) {
            String key = "bob " + round;
            for (int i = 0; i < 3; i++) {
                limiter(i, "login").strike(key);
            }
            settleUntilCounted(key);
            CountDownLatch go = new CountDownLatch(1);
            List<Thread> threads = new ArrayList<>();
            for (int node = 0; node < 4; node++) {
                Limiter limiter = limiter(node, "login");
                Thread thread = new Thread(() -> {
                    awaitGo(go);
                    limiter.strike(key);
                });
                threads.add(thread);
                thread.start();
            }
            go.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
            awaitBlocked("login", key, 0, 1, 2, 3);
        }
        settle();
        for (int node = 0; node < 4; node++) {
            assertThat(by(node).penalties(1_000)).hasSize(20).allSatisfy(each -> {
                assertThat(each.version()).isEqualTo(1);
                assertThat(((Directive.Block) each.content()).level()).isEqualTo(1);
            });
        }
    }

    private static void awaitGo(CountDownLatch go) {
        try {
            go.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Three strikes of a key are on their way to its owner. */
    private void settleUntilCounted(String key) {
        LockSupport.parkNanos(SECOND / 20);
        assertThat(penalties(0, key)).isEmpty();
    }

    @Test
    void bothSurviveTheLossOfTheirOwners() {
        HazelcastInstance ownerOfDirectives = cluster.members().stream()
                .filter(each -> each.getPartitionService()
                        .getPartition("directives")
                        .getOwner()
                        .localMember())
                .findFirst()
                .orElseThrow();
        int dying = instances.indexOf(ownerOfDirectives);
        int left = (dying + 1) % 3;
        String key = "";
        for (int i = 0; !key.startsWith("bob") || cluster.ownerOf("login.strikes", key) != ownerOfDirectives; i++) {
            key = "bob " + i;
        }
        String bob = key;
        for (int i = 0; i < 4; i++) {
            limiter(left, "login").strike(bob);
        }
        awaitBlocked("login", bob, 0, 1, 2, 3);
        String other = "";
        for (int i = 0; !other.startsWith("eve") || cluster.ownerOf("login.strikes", other) != ownerOfDirectives; i++) {
            other = "eve " + i;
        }
        for (int i = 0; i < 3; i++) {
            limiter(3, "login").strike(other);
        }
        settle();

        cluster.crash(ownerOfDirectives);

        for (int node : new int[] {left, (dying + 2) % 3, 3}) {
            assertThat(limiter(node, "login").tryAcquire(bob).source()).isEqualTo(Source.BLOCKED);
            assertThat(penalties(node, bob)).extracting(Directive.Block::level).containsExactly(1);
        }
        String eve = other;
        await(() -> {
            limiter(left, "login").strike(eve); // the first one is the fourth, if it is answered
            LockSupport.parkNanos(SECOND / 10);
            return !penalties(left, eve).isEmpty();
        });
        assertThat(penalties(left, eve)).extracting(Directive.Block::level).containsExactly(1);
        HazelcastInstance late = cluster.addMember(config -> {});
        try (Weir weir = node(HazelcastStore.join(late, TestCluster.NAMESPACE))) {
            await(() -> weir.limiter("login").tryAcquire(bob).source() == Source.BLOCKED);
        }
    }

    /** Of the strikes under "login", as a node counts them. */
    private Buckets log(int node) {
        Bandwidth three = Bandwidth.perWindow(3, Duration.ofHours(1));
        return stores.get(node)
                .buckets("login.strikes", new Rule(1, Algorithm.Kind.SLIDING_LOG.with(List.of(three))), Leasing.NEVER);
    }

    private static long left(Buckets log, String key) {
        return log.take(key, 0, 30 * SECOND).state().level(0);
    }

    /** Has a node strike, and waits until that is counted. */
    private void strikeAndCount(int node, String key, Buckets log, long left) {
        limiter(node, "login").strike(key);
        await(() -> left(log, key) == left);
    }

    /** The node that was denied remembers that for a second, and is the first to strike again. */
    @Test
    void aPardonedKeyBeginsAnewOnEveryNode() {
        for (int round = 0; round < 20; round++) {
            String key = "bob " + round;
            int denied = round % 4;
            int other = (denied + 1 + round / 4 % 3) % 4;
            Buckets log = log(other);
            for (int strikes = 1; strikes <= 3; strikes++) {
                strikeAndCount(strikes % 4, key, log, 3 - strikes);
            }
            limiter(denied, "login").strike(key);
            await(() -> said(other, "login", key).isPresent());

            by(other).pardon("login", key);

            await(() ->
                    said(denied, "login", key).filter(Directive::isWithdrawn).isPresent());
            limiter(denied, "login").strike(key);
            for (int strikes = 1; strikes <= 3; strikes++) {
                strikeAndCount(other, key, log, 3 - strikes);
            }
        }
        settle();
        for (int round = 0; round < 20; round++) {
            String key = "bob " + round;
            Directive told = said(0, "login", key).orElseThrow();
            assertThat(told.isWithdrawn()).as("%s", told).isTrue();
            assertThat(told.version()).isEqualTo(2);
        }
        limiter(1, "login").strike("bob 0");
        awaitBlocked("login", "bob 0", 0, 1, 2, 3);
        assertThat(penalties(1, "bob 0")).extracting(Directive.Block::level).containsExactly(1);
    }

    /** Those that wait for the answer to one before, and those whose cool-down is about to be published. */
    @Test
    void noStrikeOfBeforeAPardonBlocksAKeyAfterIt() throws InterruptedException {
        for (int round = 0; round < 40; round++) {
            String key = "bob " + round;
            int strikes = 1 + round % 10;
            List<Thread> threads = new ArrayList<>();
            for (int node = 0; node < 4; node++) {
                Limiter limiter = limiter(node, "login");
                Thread thread = new Thread(() -> IntStream.range(0, strikes).forEach(i -> limiter.strike(key)));
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            int pardons = round % 4;
            await(() -> left(log(pardons), key) < 3);
            by(pardons).pardon("login", key);
        }
        settle();
        for (int node = 0; node < 4; node++) {
            assertThat(by(node).penalties(1_000)).isEmpty();
        }
    }
}
