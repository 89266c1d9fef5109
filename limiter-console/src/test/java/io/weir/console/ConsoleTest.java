package io.weir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Penalty;
import io.weir.store.LocalStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConsoleTest {

    @Test
    void showsWhatOneNodeDecides() {
        try (TestNode node = new TestNode(LocalStore.create(), "n1")) {
            assertThat(node.data().at("limits.list.0.rate.granted").isNull()).isTrue(); // nobody has counted yet
            node.ask("one", "ann", 13);
            node.second();
            JsonTree data = node.data();
            assertThat(data.at("node").text()).isEqualTo("n1");
            assertThat(Instant.parse(data.at("time").text())).isAfter(TestNode.DATE);
            assertThat(data.at("tick").number()).isEqualTo(2);
            assertThat(data.at("cluster.state").text()).isEqualTo("EXACT");
            assertThat(data.at("cluster.nodes").number()).isEqualTo(1);
            assertThat(data.at("cluster.reporting").number()).isEqualTo(1);
            assertThat(data.at("cluster.members.0.name").text()).isEqualTo("n1");
            assertThat(data.at("cluster.members.0.here").truth()).isTrue();
            assertThat(data.at("cluster.members.0.state").text()).isEqualTo("REACHABLE");
            assertThat(data.at("cluster.members.0.seconds").isNull()).isTrue();
            assertThat(data.at("limits.total").number()).isEqualTo(1);
            JsonTree limit = data.at("limits.list.0");
            assertThat(limit.at("name").text()).isEqualTo("one");
            assertThat(limit.at("algorithm").text()).isEqualTo("TOKEN_BUCKET");
            assertThat(limit.at("policy").text()).isEqualTo("DENY");
            assertThat(limit.at("bandwidths.0.capacity").number()).isEqualTo(10);
            assertThat(limit.at("bandwidths.0.period").text()).isEqualTo("PT1H");
            assertThat(limit.at("rate.granted").number()).isEqualTo(10);
            assertThat(limit.at("rate.denied").number()).isEqualTo(3);
            assertThat(limit.at("total.denied").number()).isEqualTo(3);
            assertThat(limit.at("sources.LOCAL").number()).isEqualTo(13);
            assertThat(limit.at("sources.LEASE").number()).isZero();
            assertThat(limit.at("headroom").number()).isZero();
            assertThat(limit.at("busiest.0.key").text()).isEqualTo("ann");
            assertThat(limit.at("busiest.0.denied").number()).isEqualTo(3);

            node.second();
            assertThat(node.data().at("limits.list.0.rate.granted").number()).isZero();
            assertThat(node.data().at("limits.list.0.total.granted").number()).isEqualTo(10);
        }
    }

    @Test
    void hasEveryMemberOfTheContract() {
        try (TestNode node = new TestNode(LocalStore.create(), "n1")) {
            JsonTree data = node.data();
            assertThat(data.names())
                    .containsExactly("node", "time", "tick", "cluster", "limits", "penalties", "quotas");
            assertThat(data.at("cluster").names())
                    .containsExactly("state", "nodes", "reporting", "behindSeconds", "members");
            assertThat(data.at("cluster.members.0").names())
                    .containsExactly("name", "here", "state", "seconds", "why", "fallbackSeconds");
            assertThat(data.at("limits").names())
                    .containsExactly(
                            "total", "matching", "degraded", "off", "differing", "dropped", "keysDropped", "list");
            assertThat(data.at("limits.list.0").names())
                    .containsExactly(
                            "name",
                            "algorithm",
                            "policy",
                            "version",
                            "on",
                            "exact",
                            "shadow",
                            "shadowOf",
                            "differs",
                            "bandwidths",
                            "state",
                            "why",
                            "fallbackSeconds",
                            "answeredByPolicy",
                            "rate",
                            "total",
                            "sources",
                            "headroom",
                            "busiest");
            assertThat(data.at("limits.list.0.sources").names())
                    .containsExactly(
                            "LOCAL", "CLUSTER", "LEASE", "DENY_CACHE", "SHARE", "POLICY", "SWITCHED_OFF", "BLOCKED");
        }
    }

    @Test
    void doesNothingButLookWhetherAnybodyWatchesWhileNobodyDoes() {
        FakeCluster cluster = new FakeCluster();
        try (TestNode node = new TestNode(cluster.join("n1"), "n1")) {
            for (int i = 0; i < 100; i++) {
                node.second();
            }
            assertThat(cluster.calls.keySet()).containsExactly("isWatched");
            assertThat(cluster.notes).isEmpty();
        }
    }

    @Test
    void showsAllNodesOnWhicheverIsLookedAt() {
        FakeCluster cluster = new FakeCluster();
        try (TestNode one = new TestNode(cluster.join("n1"), "n1");
                TestNode two = new TestNode(cluster.join("n2"), "n2")) {
            one.data();
            two.second();
            two.second(); // by now it knows
            one.ask("one", "ann", 2);
            two.ask("one", "ann", 3);
            two.second();
            one.second();
            JsonTree data = one.data();
            assertThat(data.at("cluster.nodes").number()).isEqualTo(2);
            assertThat(data.at("cluster.reporting").number()).isEqualTo(2);
            assertThat(data.at("limits.list.0.rate.granted").number()).isEqualTo(5);
            assertThat(data.at("limits.list.0.busiest.0.asked").number()).isEqualTo(5);
            assertThat(cluster.calls).containsEntry("watch", 1);
        }
    }

    @Test
    void stopsWhenNobodyLooksAnyMore() {
        FakeCluster cluster = new FakeCluster();
        try (TestNode node = new TestNode(cluster.join("n1"), "n1")) {
            node.data();
            for (int i = 0; i < 9; i++) {
                node.second();
            }
            assertThat(cluster.calls.get("post")).isEqualTo(10);
            cluster.watched = false; // the mark has expired
            for (int i = 0; i < 20; i++) {
                node.second();
            }
            assertThat(cluster.calls.get("post")).isEqualTo(10);
        }
    }

    @Test
    void aLimitOfAnotherNodeIsShownThoughThisOneHasNone() {
        FakeCluster cluster = new FakeCluster();
        try (TestNode one = new TestNode(cluster.join("n1"), "n1");
                TestNode two = new TestNode(
                        cluster.join("n2"),
                        "n2",
                        builder -> builder.limit(TestNode.limit("other")),
                        builder -> builder)) {
            one.data();
            two.second();
            one.second();
            assertThat(one.data().at("limits.list").list().stream()
                            .map(each -> each.at("name").text()))
                    .containsExactly("one", "other");
        }
    }

    @Test
    void rubbishOnTheBoardIsSaidAndHarmsNothing() {
        FakeCluster cluster = new FakeCluster();
        try (TestNode node = new TestNode(cluster.join("n1"), "n1")) {
            cluster.present.add("n2");
            cluster.notes.put("n2", new byte[] {1, 2, 3});
            node.data();
            for (int i = 0; i < 5; i++) {
                node.second();
                node.data();
            }
            assertThat(node.data().at("cluster.members.1.state").text()).isEqualTo("SILENT");
            assertThat(node.data().at("cluster.members.1.why").text()).startsWith("its note cannot be read");
        }
    }

    @Test
    void hostileKeysArriveAsTheyAre() {
        try (TestNode node = new TestNode(LocalStore.create(), "n1")) {
            node.ask("one", Notes.HOSTILE, 2);
            node.ask("one", "\ud800half", 3);
            node.ask("one", "k".repeat(10_000), 4);
            node.data();
            node.second();
            List<String> keys = node.data().at("limits.list.0.busiest").list().stream()
                    .map(each -> each.at("key").text())
                    .toList();
            assertThat(keys).hasSize(3).contains(Notes.HOSTILE);
            assertThat(keys).allSatisfy(each -> assertThat(each).hasSizeLessThanOrEqualTo(Shown.LONGEST));
        }
    }

    @Test
    void masksItsOwnKeysAndThoseOfANodeThatDoesNot() {
        FakeCluster cluster = new FakeCluster();
        try (TestNode masking = new TestNode(
                        cluster.join("n1"),
                        "n1",
                        builder -> builder.limit(TestNode.limit("one")),
                        builder -> builder.maskKeys(KeyMask.digest()));
                TestNode open = new TestNode(cluster.join("n2"), "n2")) {
            masking.data();
            open.second();
            masking.ask("one", "ann", 2);
            open.ask("one", "ann", 3);
            open.second();
            masking.second();
            String bytes = new String(masking.get("/data", "").body(), StandardCharsets.UTF_8);
            assertThat(bytes).doesNotContain("ann");
            JsonTree busiest = masking.data().at("limits.list.0.busiest");
            assertThat(busiest.list()).hasSize(1);
            assertThat(busiest.at("0.key").text()).isEqualTo(KeyMask.digest().shown("ann"));
            assertThat(busiest.at("0.asked").number()).isEqualTo(5);
        }
    }

    @Test
    void masksKeysThatCoolDown() {
        Limit limit = Limit.named("logins", FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(1, 1, Duration.ofHours(1)))
                .penalty(Penalty.standard().withStrikes(2, Duration.ofMinutes(1)))
                .build();
        try (TestNode node = new TestNode(
                LocalStore.create(),
                "n1",
                builder -> builder.limit(limit),
                builder -> builder.maskKeys(KeyMask.digest()))) {
            node.ask("logins", "bob", 5);
            JsonTree penalty = node.data().at("penalties.0");
            assertThat(penalty.names()).containsExactly("limit", "key", "until", "level", "reason");
            assertThat(penalty.at("key").text()).isEqualTo(KeyMask.digest().shown("bob"));
            assertThat(penalty.at("level").number()).isEqualTo(1);
        }
    }

    @Test
    void showsQuotasAndGoesOnWithoutThoseThatFail() {
        QuotaLine line = new QuotaLine(
                "tokens", 1_000_000, null, "MONTH", "Europe/Berlin", Instant.parse("2026-12-31T23:00:00Z"), "DENY");
        boolean[] fails = {false};
        try (TestNode node = new TestNode(
                LocalStore.create(),
                "n1",
                builder -> builder.limit(TestNode.limit("one")),
                builder -> builder.quotas(() -> {
                    if (fails[0]) {
                        throw new IllegalStateException("planted");
                    }
                    return List.of(line);
                }))) {
            assertThat(node.data().at("quotas.0").names())
                    .containsExactly("name", "cap", "unit", "period", "zone", "resetsAt", "policy");
            assertThat(node.data().at("quotas.0.unit").isNull()).isTrue();
            assertThat(node.data().at("quotas.0.resetsAt").text()).isEqualTo("2026-12-31T23:00:00Z");
            fails[0] = true;
            node.second();
            assertThat(node.data().at("quotas").list()).isEmpty();
            assertThat(node.data().at("limits.list").list()).hasSize(1);
        }
    }

    @Test
    void givesAsManyLimitsAsAreAskedForAndMatch() {
        try (TestNode node = new TestNode(
                LocalStore.create(),
                "n1",
                builder -> {
                    IntStream.range(0, 300).forEach(i -> builder.limit(TestNode.limit("Limit-" + i)));
                    return builder;
                },
                builder -> builder)) {
            assertThat(node.data().at("limits.list").list()).hasSize(50);
            assertThat(node.data("limits=3").at("limits.list").list()).hasSize(3);
            assertThat(node.data("limits=100000").at("limits.list").list()).hasSize(DataQuery.MOST);
            JsonTree filtered = node.data("limits=50&filter=limit%2D29");
            assertThat(filtered.at("limits.matching").number()).isEqualTo(11);
            assertThat(filtered.at("limits.total").number()).isEqualTo(300);
            assertThat(filtered.at("limits.list").list()).hasSize(11);
        }
    }

    @Test
    void countsLimitsThatAreOffAlsoWhereTheyAreNotAskedFor() {
        try (TestNode node = new TestNode(
                LocalStore.create(),
                "n1",
                builder -> builder.limit(TestNode.limit("one")).limit(TestNode.limit("two")),
                builder -> builder)) {
            assertThat(node.data().at("limits.off").number()).isZero();

            node.weir.limiter("two").switchOff();
            node.second();

            JsonTree data = node.data("filter=one");
            assertThat(data.at("limits.off").number()).isEqualTo(1);
            assertThat(data.at("limits.degraded").number()).isZero();
            assertThat(data.at("limits.differing").number()).isZero();
        }
    }

    @Test
    void allWhoLookInOneSecondGetTheSameBytes() {
        try (TestNode node = new TestNode(LocalStore.create(), "n1")) {
            byte[] first = node.get("/data", "limits=50").body();
            assertThat(node.get("/data", null).body()).isSameAs(first);
            assertThat(node.get("/data", "limits=49").body()).isNotSameAs(first);
            node.second();
            assertThat(node.get("/data", null).body()).isNotSameAs(first);
        }
    }

    @Test
    void whoComesAfterAWhileSeesWhatIsNew() {
        try (TestNode node = new TestNode(LocalStore.create(), "n1")) {
            node.data();
            node.pass(Duration.ofMinutes(1));
            node.ask("one", "ann", 4);
            assertThat(node.data().at("limits.list.0.total.granted").number()).isEqualTo(4);
        }
    }

    @Test
    void refusesAQueryThatIsNone() {
        try (TestNode node = new TestNode(LocalStore.create(), "n1")) {
            for (String each :
                    List.of("limits=many", "limits=-1", "limits=", "filter=%zz", "filter=" + "x".repeat(65))) {
                ConsoleAnswer answer = node.get("/data", each);
                assertThat(answer.status()).as(each).isEqualTo(400);
                assertThat(new String(answer.body(), StandardCharsets.UTF_8)).doesNotContain("many", "zz", "xxx");
            }
        }
    }

    @Test
    void answersNothingButQuestions() {
        try (TestNode node = new TestNode(LocalStore.create(), "n1")) {
            for (String each : List.of("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW")) {
                ConsoleAnswer answer = node.console.answer(each, "/weir", "/data", null);
                assertThat(answer.status()).isEqualTo(405);
                assertThat(answer.fields()).containsEntry("Allow", "GET, HEAD");
            }
        }
    }

    @Test
    void isAwayOnceItIsClosed() {
        TestNode node = new TestNode(LocalStore.create(), "n1");
        node.close();
        assertThat(node.get("/data", null).status()).isEqualTo(503);
        assertThat(node.get("/", null).status()).isEqualTo(200);
    }

    @Test
    void refusesANameThatIsNone() {
        try (TestNode node = new TestNode(LocalStore.create(), "n1")) {
            assertThatThrownBy(
                            () -> Console.of(node.weir, ConsoleMeters.create()).node("x".repeat(65)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("65");
        }
    }
}
