package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import io.weir.store.Directive;
import io.weir.store.DirectiveTable;
import io.weir.store.Directives;
import io.weir.store.Directives.Outcome;
import io.weir.store.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The directives of three members and a client. */
@Timeout(120)
class ClusterDirectivesTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private static Directive definition(String limit, long version) {
        Rule rule = new Rule(version, new TokenBucket(List.of(Bandwidth.of(version, 1, Duration.ofDays(1)))));
        return new Directive(
                Directive.Id.ofDefinition(limit),
                version,
                new Directive.Definition(rule, "DENY", 50_000_000, false),
                "ann",
                1_800_000_000_000L);
    }

    private static Directive withdrawn(Directive directive) {
        return new Directive(
                directive.id(), directive.version() + 1, new Directive.Withdrawn(), "ann", directive.setMillis());
    }

    private static Outcome publish(Directives by, Directive directive) {
        return by.publish(directive).join();
    }

    /** How long it took until every node knew. */
    private static long awaitEverywhere(List<Directives> nodes, Directive directive) {
        long began = System.nanoTime();
        await(() -> nodes.stream().allMatch(each -> each.find(directive.id()).equals(Optional.of(directive))));
        return System.nanoTime() - began;
    }

    /** Nine of ten: a machine under test stands still at times. */
    private static void assertWithinASecond(String how, List<Long> tookNanos) {
        tookNanos.sort(null);
        System.out.printf(
                "directives: %s, %d were everywhere after %.1f ms, the slowest after %.1f ms%n",
                how,
                tookNanos.size(),
                tookNanos.get(tookNanos.size() / 2) / 1e6,
                tookNanos.get(tookNanos.size() - 1) / 1e6);
        assertThat(tookNanos.get(tookNanos.size() * 9 / 10 - 1)).isLessThan(SECOND);
    }

    private static void await(BooleanSupplier condition) {
        long giveUpNanos = System.nanoTime() + 30 * SECOND;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - giveUpNanos).as("waited for 30 s").isNegative();
            LockSupport.parkNanos(500_000);
        }
    }

    @Test
    @Tag("each-hazelcast")
    void everyNodeKnowsWithinASecond() {
        try (Nodes nodes = Nodes.of(3, 1)) {
            List<Long> tookNanos = new ArrayList<>();
            for (int i = 1; i <= 40; i++) {
                Directive directive = definition("limit", i);
                assertThat(publish(nodes.get(i % 4), directive)).isEqualTo(Outcome.ACCEPTED);
                assertThat(nodes.get(i % 4).find(directive.id()))
                        .as("who published it knows at once")
                        .contains(directive);
                tookNanos.add(awaitEverywhere(nodes.all(), directive));
            }
            assertWithinASecond("with events", tookNanos);

            publish(nodes.get(3), withdrawn(definition("limit", 40)));
            awaitEverywhere(nodes.all(), withdrawn(definition("limit", 40)));
            assertThat(nodes.all()).allSatisfy(each -> assertThat(each.behind()).isEqualTo(Duration.ZERO));
        }
    }

    /** Events can be lost, and so nothing rests on them. */
    @Test
    void everyNodeKnowsWithinASecondWithoutAnyEvent() {
        try (Nodes nodes = Nodes.of(3, 1)) {
            nodes.all().forEach(each -> ((ClusterDirectives) each).unwatch());
            List<Long> tookNanos = new ArrayList<>();
            for (int i = 1; i <= 8; i++) {
                Directive directive = definition("limit", i);
                publish(nodes.get(i % 4), directive);
                tookNanos.add(awaitEverywhere(nodes.all(), directive));
            }
            assertWithinASecond("without events", tookNanos);
        }
    }

    /** A node may remember a block that the table has dropped since: what is said of the key then begins anew. */
    @Test
    void aBlockThatEndedStandsInNobodysWay() {
        try (Nodes nodes = Nodes.of(2, 0)) {
            Directive.Id id = Directive.Id.ofBlock("limit", "bob");
            long now = nodes.get(0).nowMillis();
            Directive ended = new Directive(id, 7, new Directive.Block(now - 1, ""), "ann", now);
            publish(nodes.get(0), ended);
            awaitEverywhere(nodes.all(), ended);
            nodes.cluster.member(0).getMap("weir-directives.test").clear();

            Directive block = new Directive(id, 1, new Directive.Block(now + 60_000, ""), "ann", now);
            assertThat(publish(nodes.get(0), block)).isEqualTo(Outcome.ACCEPTED);
            awaitEverywhere(nodes.all(), block);
        }
    }

    @Test
    void ofConcurrentOnesTheHighestVersionWinsAndEachVersionIsTakenOnce() {
        try (Nodes nodes = Nodes.of(3, 1)) {
            Map<Long, List<String>> accepted = new ConcurrentHashMap<>();
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (int version = 1; version <= 20; version++) {
                for (int node = 0; node < 4; node++) {
                    Directive like = definition("limit", version);
                    String actor = "node " + node;
                    Directive one = new Directive(like.id(), version, like.content(), actor, like.setMillis());
                    all.add(nodes.get(node).publish(one).thenAccept(outcome -> {
                        if (outcome == Outcome.ACCEPTED) {
                            accepted.computeIfAbsent(one.version(), any -> new CopyOnWriteArrayList<>())
                                    .add(actor);
                        }
                    }));
                }
            }
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();

            String winnersActor =
                    accepted.getOrDefault(20L, List.of("none took the last")).get(0);
            assertThat(accepted).containsKey(20L);
            assertThat(accepted.values())
                    .allSatisfy(actors -> assertThat(actors).hasSize(1));
            Directive winner = new Directive(
                    definition("limit", 20).id(),
                    20,
                    definition("limit", 20).content(),
                    winnersActor,
                    definition("limit", 20).setMillis());
            awaitEverywhere(nodes.all(), winner);
        }
    }

    @Test
    @Tag("each-hazelcast")
    void survivesItsOwner() {
        try (Nodes nodes = Nodes.of(3, 1)) {
            publish(nodes.get(0), definition("limit", 3));
            awaitEverywhere(nodes.all(), definition("limit", 3));
            nodes.cluster.awaitSafe();
            HazelcastInstance owner = nodes.cluster.members().stream()
                    .filter(each -> each.getPartitionService()
                            .getPartition("directives")
                            .getOwner()
                            .localMember())
                    .findFirst()
                    .orElseThrow();

            nodes.cluster.crash(owner);

            List<Directives> left = nodes.without(owner);
            assertThat(publish(left.get(0), definition("limit", 2))).isEqualTo(Outcome.CONFLICT);
            assertThat(publish(left.get(0), definition("limit", 4))).isEqualTo(Outcome.ACCEPTED);
            awaitEverywhere(left, definition("limit", 4));
        }
    }

    @Test
    void whoComesLaterKnowsBeforeItBegins() {
        try (Nodes nodes = Nodes.of(2, 0)) {
            publish(nodes.get(0), definition("limit", 7));
            HazelcastInstance late = nodes.cluster.addMember(config -> {});
            try (HazelcastStore store = HazelcastStore.join(late, TestCluster.NAMESPACE)) {
                assertThat(store.directives().find(Directive.Id.ofDefinition("limit")))
                        .contains(definition("limit", 7));
                assertThat(store.directives()).isSameAs(store.directives());
            }
        }
    }

    /** As if all members that had it had died: a node that remembers puts it back. */
    @Test
    void whatTheClusterLostIsPutBackByWhoRemembers() {
        try (Nodes nodes = Nodes.of(2, 1)) {
            Directive gone = definition("gone", 1);
            publish(nodes.get(0), definition("limit", 3));
            publish(nodes.get(0), gone);
            publish(nodes.get(0), withdrawn(gone));
            awaitEverywhere(nodes.all(), withdrawn(gone));

            nodes.cluster.member(0).getMap("weir-directives.test").clear();
            HazelcastInstance late = nodes.cluster.addMember(config -> {});
            try (HazelcastStore store = HazelcastStore.join(late, TestCluster.NAMESPACE)) {
                awaitEverywhere(List.of(store.directives()), definition("limit", 3));
                awaitEverywhere(List.of(store.directives()), withdrawn(gone));
                assertThat(publish(store.directives(), gone)).isEqualTo(Outcome.CONFLICT);
            }
        }
    }

    @Test
    void whoIsCutOffKeepsWhatItKnowsAndSaysSo() {
        try (Nodes nodes = Nodes.of(3, 0)) {
            publish(nodes.get(1), definition("limit", 3));
            awaitEverywhere(nodes.all(), definition("limit", 3));

            nodes.cluster.cut(nodes.cluster.member(0));
            await(() -> nodes.get(0).behind().compareTo(Duration.ofSeconds(2)) > 0);

            assertThat(nodes.get(0).find(Directive.Id.ofDefinition("limit"))).contains(definition("limit", 3));
            assertThat(nodes.get(0).publish(definition("limit", 4)))
                    .failsWithin(Duration.ofSeconds(20))
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(StoreUnavailableException.class);
            assertThat(publish(nodes.get(1), definition("limit", 4))).isEqualTo(Outcome.ACCEPTED);
            assertThat(nodes.get(1).behind()).isEqualTo(Duration.ZERO);
        }
    }

    @Test
    void everyoneIsToldOfEachChangeInOrder() {
        try (Nodes nodes = Nodes.of(2, 0)) {
            List<Long> versions = new CopyOnWriteArrayList<>();
            publish(nodes.get(0), definition("limit", 1));
            awaitEverywhere(nodes.all(), definition("limit", 1));
            nodes.get(1).listen(directive -> {
                versions.add(directive.version());
                return directive.version() < 9;
            });
            assertThat(versions).as("at once").containsExactly(1L);
            for (int version = 2; version <= 12; version++) {
                publish(nodes.get(0), definition("limit", version));
            }
            awaitEverywhere(nodes.all(), definition("limit", 12));
            assertThat(versions).isSorted();
            assertThat(versions.get(versions.size() - 1))
                    .as("and no more after it said so")
                    .isBetween(9L, 12L);
            assertThat(versions.stream().filter(each -> each >= 9)).hasSize(1);
        }
    }

    @Test
    void aFullTableIsToldInOnePiece() {
        try (Nodes nodes = Nodes.of(2, 1)) {
            nodes.cluster.member(0).getMap("weir-directives.test").put("directives", new StoredDirectives(full()));
            await(() -> nodes.get(0).all().size() == Directives.MOST);
            assertThat(publish(nodes.get(0), definition("limit", 1))).isEqualTo(Outcome.FULL);
            await(() -> nodes.get(2).all().size() == Directives.MOST);

            long began = System.nanoTime();
            HazelcastInstance late = nodes.cluster.addMember(config -> {});
            long joined = System.nanoTime();
            try (HazelcastStore store = HazelcastStore.join(late, TestCluster.NAMESPACE)) {
                await(() -> store.directives().all().size() == Directives.MOST);
                System.out.printf(
                        "directives: a node that comes knows %d of them %.0f ms after its member is there (%.0f ms)%n",
                        Directives.MOST, (System.nanoTime() - joined) / 1e6, (joined - began) / 1e6);
            }
        }
    }

    /** As if so many blocks had been published one by one. */
    private static DirectiveTable full() {
        long end = System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
        List<DirectiveTable.Entry> entries = new ArrayList<>();
        for (int i = 0; i < Directives.MOST; i++) {
            Directive.Id id = Directive.Id.ofBlock("*", "some key of ordinary length " + i);
            Directive directive = new Directive(id, 1, new Directive.Block(end, "penalty"), "ann", 1);
            entries.add(new DirectiveTable.Entry(directive, i + 1));
        }
        return DirectiveTable.restore(UUID.randomUUID(), Directives.MOST, 0, entries);
    }

    /** Stores over members and clients of one cluster. */
    private static final class Nodes implements AutoCloseable {
        private final TestCluster cluster;
        private final List<HazelcastInstance> instances = new ArrayList<>();
        private final List<HazelcastStore> stores = new ArrayList<>();

        private Nodes(TestCluster cluster) {
            this.cluster = cluster;
        }

        static Nodes of(int members, int clients) {
            Nodes nodes = new Nodes(TestCluster.of(members));
            nodes.instances.addAll(nodes.cluster.members());
            for (int i = 0; i < clients; i++) {
                nodes.instances.add(nodes.cluster.addClient());
            }
            nodes.instances.forEach(each -> nodes.stores.add(HazelcastStore.join(each, TestCluster.NAMESPACE)));
            nodes.all();
            return nodes;
        }

        Directives get(int index) {
            return stores.get(index).directives();
        }

        List<Directives> all() {
            return stores.stream().map(HazelcastStore::directives).toList();
        }

        List<Directives> without(HazelcastInstance gone) {
            List<Directives> left = new ArrayList<>();
            for (int i = 0; i < stores.size(); i++) {
                if (instances.get(i) != gone) {
                    left.add(stores.get(i).directives());
                }
            }
            return left;
        }

        @Override
        public void close() {
            stores.forEach(HazelcastStore::close);
            cluster.close();
        }
    }
}
