package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import io.weir.algorithm.Rule;
import io.weir.algorithm.Verdict;
import io.weir.store.Buckets;
import io.weir.store.Leasing;
import io.weir.store.NanoClock;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who goes on deciding when members are lost or leave. */
@Timeout(60)
class SplitTest {

    private static final long DEADLINE = TimeUnit.SECONDS.toNanos(10);

    /** Real time, and what a test adds: so that nobody waits for five minutes. */
    private final AtomicLong later = new AtomicLong();

    private final NanoClock clock = () -> NanoClock.monotonic().nanoTime() + later.get();

    private void onClock(Config config) {
        config.setProperty("hazelcast.heartbeat.interval.seconds", "1");
        config.getUserContext().put(Membership.CONTEXT_KEY, new Membership(clock, Membership.PATIENCE));
    }

    /** For one whose goodbye is to be heard, however busy the machine is. */
    private void patient(Config config) {
        onClock(config);
        config.getUserContext().put(Membership.CONTEXT_KEY, new Membership(clock, Duration.ofSeconds(20)));
    }

    @Test
    void aMemberThatIsAloneDecidesFromItsStart() {
        try (TestCluster cluster = TestCluster.of(1);
                HazelcastStore store = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE)) {
            assertThat(take(store)).isEqualTo(Verdict.GRANTED);
        }
    }

    @Test
    void theLastOfThreeRefusesUntilTheOthersAreForgotten() {
        try (TestCluster cluster = TestCluster.of(3, this::onClock);
                HazelcastStore store = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE)) {
            assertThat(take(store)).isEqualTo(Verdict.GRANTED);

            cluster.crash(cluster.member(1), cluster.member(2));
            await(() -> isRefused(store));
            assertRefused(store);

            await(() -> {
                later.addAndGet(ClusterSize.HOLD.toNanos()); // again: a busy member counts its loss from when it heard
                return !isRefused(store);
            });
            assertThat(take(store)).isEqualTo(Verdict.GRANTED);
        }
    }

    /** A process that is restarted is another member, at the same address. */
    @Test
    void theLastOfThreeDecidesAgainWhenAnotherIsRestarted() {
        try (TestCluster cluster = TestCluster.of(3, this::onClock);
                HazelcastStore store = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE)) {
            cluster.crash(cluster.member(1), cluster.member(2));
            await(() -> isRefused(store));

            cluster.addMember(this::onClock);
            await(() -> decidesForAll(store));
        }
    }

    /** The one of two data members that is not the oldest: with the lite members' votes it would have a majority. */
    @Test
    void liteMembersDoNotVote() {
        try (TestCluster cluster = TestCluster.of(0)) {
            cluster.addMember(config -> onClock(config.setLiteMember(true)));
            cluster.addMember(this::onClock);
            cluster.addMember(this::onClock);
            try (HazelcastStore store = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE)) {
                assertThat(take(store)).isEqualTo(Verdict.GRANTED);
                await(() -> members(cluster.member(2)) == 3);
                assertThat(Membership.of(cluster.member(2)).dataMembers().stable())
                        .isEqualTo(2);
                cluster.crash(cluster.member(1));
                await(() -> isRefused(store));
                assertRefused(store);
            }
        }
    }

    @Test
    void aPeekIsRefusedAsWell() {
        try (TestCluster cluster = TestCluster.of(3, this::onClock);
                HazelcastStore store = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE)) {
            cluster.crash(cluster.member(1), cluster.member(2));
            await(() -> isRefused(store));
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> buckets(store).take("key", 0, DEADLINE))
                    .matches(failure -> failure.reason() == Reason.UNREACHABLE);
        }
    }

    @Test
    @Tag("each-hazelcast")
    void aClientOfTheMinorityIsToldWhy() {
        try (TestCluster cluster = TestCluster.of(3, this::onClock);
                HazelcastStore store = HazelcastStore.join(cluster.addClient(), TestCluster.NAMESPACE)) {
            cluster.crash(cluster.member(1), cluster.member(2));
            await(() -> isRefused(store));
            assertRefused(store);
        }
    }

    @Test
    @Tag("each-hazelcast")
    void twoOfThreeGoOn() {
        try (TestCluster cluster = TestCluster.of(3, this::onClock);
                HazelcastStore store = HazelcastStore.join(cluster.member(1), TestCluster.NAMESPACE)) {
            cluster.crash(cluster.member(0));
            for (int i = 0; i < 50; i++) {
                assertThat(buckets(store).take("key" + i, 1, DEADLINE).verdict())
                        .isEqualTo(Verdict.GRANTED);
            }
        }
    }

    @Test
    void ofTwoTheOlderGoesOnAndTheYoungerRefuses() {
        try (TestCluster cluster = TestCluster.of(2, this::onClock);
                HazelcastStore older = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE);
                HazelcastStore younger = HazelcastStore.join(cluster.member(1), TestCluster.NAMESPACE)) {
            cluster.cut(cluster.member(0));
            await(() -> isRefused(younger));
            assertRefused(younger);
            for (int i = 0; i < 20; i++) {
                assertThat(buckets(older).take("key" + i, 1, DEADLINE).verdict())
                        .isEqualTo(Verdict.GRANTED);
            }
        }
    }

    @Test
    void aClusterThatIsClosedOneByOneStaysExactToTheLast() {
        try (TestCluster cluster = TestCluster.of(3, this::patient);
                HazelcastStore store = HazelcastStore.join(cluster.member(2), TestCluster.NAMESPACE)) {
            long granted = 0;
            for (HazelcastInstance leaving : List.of(cluster.member(0), cluster.member(1))) {
                granted += takeWhile(store, () -> leaving.shutdown());
            }
            granted += takeWhile(store, () -> {});
            await(() -> members(cluster.member(2)) == 1); // told by an event that may take its time
            assertThat(buckets(store).take("key", 0, DEADLINE).state().level(0)).isEqualTo(1_000_000 - granted);
        }
    }

    @Test
    void aClusterThatGrowsStaysExact() {
        try (TestCluster cluster = TestCluster.of(1, this::onClock);
                HazelcastStore store = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE)) {
            long granted = 0;
            for (int i = 0; i < 3; i++) {
                granted += takeWhile(store, () -> cluster.addMember(this::onClock));
            }
            assertThat(buckets(store).take("key", 0, DEADLINE).state().level(0)).isEqualTo(1_000_000 - granted);
        }
    }

    /** What an orderly stop without a graceful shutdown does, as Hazelcast's own hook does by default. */
    @Test
    void aMemberThatIsTerminatedSaysGoodbyeToo() {
        try (TestCluster cluster = TestCluster.of(3, this::patient);
                HazelcastStore store = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE)) {
            cluster.member(1).getLifecycleService().terminate();
            cluster.member(2).getLifecycleService().terminate();
            await(() -> members(cluster.member(0)) == 1);
            assertThat(take(store)).isEqualTo(Verdict.GRANTED);
        }
    }

    @Test
    void aStrictLimitIsCountedInPartUntilTheLostMemberIsForgotten() {
        Rule strict = new Rule(1, Rules.rule(900, 1, Duration.ofDays(365)).algorithm(), true);
        try (TestCluster cluster = TestCluster.of(3, this::onClock);
                HazelcastStore store = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE)) {
            Buckets buckets = store.buckets("strict", strict, Leasing.NEVER);
            cluster.addMember(this::patient).shutdown(); // with a goodbye
            await(() -> members(cluster.member(0)) == 3);
            assertThat(buckets.take("key", 300, DEADLINE).state().level(0)).isEqualTo(600);

            cluster.crash(cluster.member(2));
            await(() -> buckets.take("key", 0, DEADLINE).state().level(0) == 400);
            assertThat(buckets.take("key", 100, DEADLINE).state().level(0)).isEqualTo(300);
            assertThat(buckets.take("another", 600, DEADLINE).state().level(0)).isZero();

            later.addAndGet(ClusterSize.HOLD.toNanos());
            assertThat(buckets.take("key", 100, DEADLINE).state().level(0)).isEqualTo(200);
            assertThat(buckets.take("yet another", 900, DEADLINE).state().level(0))
                    .isZero();
        }
    }

    @Test
    void twoThatLeaveAtOnceDoNotWaitForOneAnother() throws Exception {
        try (TestCluster cluster = TestCluster.of(2, this::onClock)) {
            List<Thread> closing = cluster.members().stream()
                    .map(member -> new Thread(member::shutdown))
                    .toList();
            closing.forEach(Thread::start);
            for (Thread each : closing) {
                each.join(20_000);
                assertThat(each.isAlive()).isFalse();
            }
        }
    }

    /** One decision after another on many keys, each of them exact, until {@code change} is through and a little longer. */
    private static long takeWhile(HazelcastStore store, Runnable change) {
        Thread changing = new Thread(change);
        changing.start();
        long granted = 0;
        for (int after = 0; after < 200; after += changing.isAlive() ? 0 : 1) {
            assertThat(buckets(store).take("key", 1, DEADLINE).verdict()).isEqualTo(Verdict.GRANTED);
            assertThat(buckets(store).take("other" + after % 31, 1, DEADLINE).verdict())
                    .isEqualTo(Verdict.GRANTED);
            granted++;
        }
        return granted;
    }

    private static int members(HazelcastInstance seenBy) {
        return Membership.of(seenBy).members().stable();
    }

    private static Verdict take(HazelcastStore store) {
        return buckets(store).take("key", 1, DEADLINE).verdict();
    }

    private static Buckets buckets(HazelcastStore store) {
        return store.buckets("limit", Rules.rule(1_000_000, 1, Duration.ofDays(1)), Leasing.NEVER);
    }

    private static boolean decidesForAll(HazelcastStore store) {
        try {
            for (int i = 0; i < 100; i++) {
                buckets(store).take("key" + i, 1, DEADLINE);
            }
            return true;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private static void assertRefused(HazelcastStore store) {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> take(store))
                .matches(failure -> failure.reason() == Reason.UNREACHABLE)
                .withMessageContaining("no majority");
    }

    private static boolean isRefused(HazelcastStore store) {
        try {
            take(store);
            return false;
        } catch (StoreUnavailableException e) {
            return String.valueOf(e.getMessage()).contains("no majority");
        }
    }

    private static void await(BooleanSupplier condition) {
        long giveUpNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited 30 s").isLessThan(giveUpNanos);
            LockSupport.parkNanos(10_000_000);
        }
    }
}
