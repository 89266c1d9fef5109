package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.internal.partition.IPartition;
import com.hazelcast.internal.partition.IPartitionService;
import com.hazelcast.spi.impl.NodeEngine;
import io.weir.algorithm.Rule;
import io.weir.algorithm.Verdict;
import io.weir.store.Buckets;
import io.weir.store.Source;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a check costs on the network: counted, not timed. */
class RoundTripTest {

    private static final int CHECKS = 100;
    private static final long DEADLINE = TimeUnit.SECONDS.toNanos(30);

    private static TestCluster cluster;
    private static HazelcastInstance caller;
    private static HazelcastStore store;
    private static HazelcastStore other;

    @BeforeAll
    static void start() {
        cluster = TestCluster.of(3);
        cluster.awaitSafe();
        caller = cluster.member(0);
        store = HazelcastStore.join(caller, TestCluster.NAMESPACE);
        other = HazelcastStore.join(cluster.member(1), TestCluster.NAMESPACE);
        store.buckets("warm-up", Rules.THOUSAND).take("any", 1, DEADLINE);
    }

    @AfterAll
    static void stop() {
        other.close();
        store.close();
        cluster.close();
    }

    @Test
    void theFirstTouchOfAKeyIsOneOperationWithOneBackup() {
        Buckets buckets = store.buckets("first-touch", Rules.THOUSAND);
        List<String> keys = remoteKeys("first-touch");

        Traffic traffic = trafficOf(keys, key -> assertVerdict(buckets, key, 1, Verdict.GRANTED));

        assertTraffic(traffic, new Traffic(CHECKS, CHECKS, CHECKS));
    }

    @Test
    void aGrantIsOneOperationWithOneBackup() {
        Rule plenty = Rules.rule(1_000_000, 1, Duration.ofDays(365));
        Buckets buckets = store.buckets("granted", plenty);
        List<String> keys = remoteKeys("granted");
        keys.forEach(key -> assertVerdict(buckets, key, 1, Verdict.GRANTED));
        long version = versionOf("granted", keys.get(0));

        Traffic traffic = trafficOf(keys, key -> assertVerdict(buckets, key, 1, Verdict.GRANTED));

        assertTraffic(traffic, new Traffic(CHECKS, CHECKS, CHECKS));
        assertThat(versionOf("granted", keys.get(0))).as("one write").isEqualTo(version + 1);
    }

    @Test
    void aDenialIsOneOperationAndNoBackupAndWritesNothing() {
        List<String> keys = remoteKeys("denied");
        Buckets others = other.buckets("denied", Rules.THOUSAND);
        keys.forEach(key -> assertVerdict(others, key, 1_000, Verdict.GRANTED));
        Buckets buckets = store.buckets("denied", Rules.THOUSAND);
        long version = versionOf("denied", keys.get(0));

        Traffic traffic = trafficOf(keys, key -> assertVerdict(buckets, key, 1, Verdict.DENIED));

        assertTraffic(traffic, new Traffic(CHECKS, CHECKS, 0));
        assertThat(versionOf("denied", keys.get(0))).as("no write").isEqualTo(version);
    }

    @Test
    void aDenialThatStillHoldsIsNoOperation() {
        Buckets buckets = store.buckets("denied-again", Rules.THOUSAND);
        String key = remoteKeys("denied-again").get(0);
        assertVerdict(buckets, key, 1_000, Verdict.GRANTED);
        assertVerdict(buckets, key, 1, Verdict.DENIED);

        Traffic traffic =
                trafficOf(Collections.nCopies(CHECKS, key), each -> assertVerdict(buckets, each, 1, Verdict.DENIED));

        assertTraffic(traffic, new Traffic(0, 0, 0));
    }

    @Test
    void aGrantFromALeaseIsNoOperation() {
        Buckets buckets = store.buckets("leased", Rules.rule(100_000_000, 1, Duration.ofDays(365)));
        String key = remoteKeys("leased").get(0);
        while (buckets.take(key, 1_000, DEADLINE).source() != Source.LEASE) {
            // becomes hot
        }

        Traffic traffic =
                trafficOf(Collections.nCopies(CHECKS, key), each -> assertVerdict(buckets, each, 1, Verdict.GRANTED));

        assertThat(traffic.operations()).as("one at most, ahead of need").isLessThanOrEqualTo(1);
    }

    @Test
    void aPeekIsOneOperationAndCreatesNothing() {
        Buckets buckets = store.buckets("peek", Rules.THOUSAND);
        List<String> keys = remoteKeys("peek");
        long entries =
                caller.getMap(HazelcastStore.mapName(TestCluster.NAMESPACE)).size();

        Traffic traffic = trafficOf(keys, key -> assertVerdict(buckets, key, 0, Verdict.GRANTED));

        assertTraffic(traffic, new Traffic(CHECKS, CHECKS, 0));
        assertThat(caller.getMap(HazelcastStore.mapName(TestCluster.NAMESPACE)).size())
                .isEqualTo(entries);
    }

    /** Keys of which the caller is neither owner nor backup, so that an operation and a backup are a round trip each. */
    private static List<String> remoteKeys(String limit) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "key" + i)
                .filter(key -> isRemote(caller, limit + ":" + key))
                .limit(CHECKS)
                .toList();
    }

    /** Whether a member is neither the owner of an entry nor its backup. */
    static boolean isRemote(HazelcastInstance caller, String entry) {
        NodeEngine engine = ((HazelcastInstanceProxy) caller).getOriginal().node.getNodeEngine();
        IPartitionService partitions = engine.getPartitionService();
        IPartition partition = partitions.getPartition(partitions.getPartitionId(entry), false);
        return !engine.getThisAddress().equals(partition.getReplicaAddress(0))
                && !engine.getThisAddress().equals(partition.getReplicaAddress(1));
    }

    /** What a hundred checks make the caller do. */
    private static Traffic trafficOf(List<String> keys, Consumer<String> check) {
        Traffic before = Traffic.of(caller);
        keys.forEach(check);
        return Traffic.of(caller).since(before);
    }

    /** But for reports to the roster, of which one a second may fall into a slow test; never one for each check. */
    private static void assertTraffic(Traffic traffic, Traffic expected) {
        Traffic more = traffic.since(expected);
        assertThat(List.of(more.operations(), more.answers(), more.backups()))
                .as("%s instead of %s", traffic, expected)
                .allMatch(each -> each >= 0 && each <= CHECKS / 20);
    }

    private static void assertVerdict(Buckets buckets, String key, long permits, Verdict verdict) {
        assertThat(buckets.take(key, permits, DEADLINE).verdict()).isEqualTo(verdict);
    }

    /** How often an entry of the map has been written. */
    private static long versionOf(String limit, String key) {
        return caller.<String, StoredBucket>getMap(HazelcastStore.mapName(TestCluster.NAMESPACE))
                .getEntryView(limit + ":" + key)
                .getVersion();
    }
}
