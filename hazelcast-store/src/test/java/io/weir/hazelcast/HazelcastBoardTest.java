package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.weir.store.Board;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Three members and a client with a board each. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HazelcastBoardTest {

    private static TestCluster cluster;
    private static HazelcastInstance clientInstance;
    private static List<HazelcastStore> members;
    private static HazelcastStore client;

    @BeforeAll
    static void start() {
        cluster = TestCluster.of(3);
        clientInstance = cluster.addClient();
        members = cluster.members().stream()
                .map(each -> HazelcastStore.join(each, TestCluster.NAMESPACE))
                .toList();
        client = HazelcastStore.join(clientInstance, TestCluster.NAMESPACE);
        cluster.awaitSafe();
        await(() -> members.stream().allMatch(each -> each.nodes().orElse(0) == 4));
    }

    @AfterAll
    static void stop() {
        client.close();
        members.forEach(HazelcastStore::close);
        cluster.close();
    }

    @Test
    void knowsTheMembersByTheirAddresses() {
        List<Board.Peer> seen = members.get(1).board().members();
        assertThat(seen).hasSize(3).allSatisfy(each -> assertThat(each.name()).startsWith("[127.0.0.1]:"));
        assertThat(seen.stream().filter(Board.Peer::here).map(Board.Peer::id)).containsExactly(idOf(cluster.member(1)));
        assertThat(client.board().members()).hasSize(3).noneMatch(Board.Peer::here);
    }

    @Test
    void everyNodeReadsWhatEveryOtherPosts() {
        Map<String, String> seenByAMember = new ConcurrentHashMap<>();
        Map<String, String> seenByTheClient = new ConcurrentHashMap<>();
        await(() -> {
            for (int i = 0; i < 3; i++) {
                members.get(i).board().post(bytes("m" + i));
            }
            client.board().post(bytes("c"));
            members.get(0).board().read(note -> seenByAMember.put(text(note), note.from()));
            client.board().read(note -> seenByTheClient.put(text(note), note.from()));
            return seenByAMember.keySet().equals(Set.of("m1", "m2", "c"))
                    && seenByTheClient.keySet().equals(Set.of("m0", "m1", "m2"));
        });
        assertThat(seenByAMember).containsEntry("m1", idOf(cluster.member(1)));
        assertThat(seenByTheClient).containsEntry("m2", idOf(cluster.member(2)));
    }

    @Test
    void whoWatchesIsNoticedByAllOthers() {
        await(() -> {
            members.get(2).board().watch();
            return isWatched(members.get(0)) && isWatched(members.get(1)) && isWatched(client);
        });
        await(() -> {
            client.board().watch();
            return isWatched(members.get(2));
        });
    }

    @Test
    void nobodyWatchesInANamespaceOfItsOwnAndNoEntryIsMade() {
        HazelcastStore other = HazelcastStore.join(cluster.member(0), "unwatched");
        try {
            for (int i = 0; i < 3; i++) {
                await(() -> Boolean.FALSE.equals(answer(other)));
            }
            assertThat(cluster.member(0).getMap("weir-board.unwatched").size()).isZero();
        } finally {
            other.close();
        }
    }

    @Test
    void whatAMemberSaysLiesWithThatMember() {
        await(() -> {
            members.forEach(each -> each.board().post(bytes("here")));
            return cluster.members().stream().allMatch(HazelcastBoardTest::ownsAKeyOfItsOwn);
        });
    }

    private static boolean ownsAKeyOfItsOwn(HazelcastInstance member) {
        IMap<String, byte[]> map = member.getMap("weir-board." + TestCluster.NAMESPACE);
        return map.localKeySet().stream().anyMatch(each -> each.startsWith("note/" + idOf(member)));
    }

    @Test
    void aNoteThatIsTooLongIsRefused() {
        assertThatThrownBy(() -> members.get(0).board().post(new byte[Board.MAX_NOTE + 1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("262145");
    }

    @Test
    void notesAndMarksVanishByThemselves() {
        HazelcastStore store = HazelcastStore.join(cluster.member(1), "vanishing");
        HazelcastStore other = HazelcastStore.join(cluster.member(2), "vanishing");
        try {
            await(() -> {
                store.board().watch();
                store.board().post(bytes("soon gone"));
                return isWatched(other);
            });
            IMap<String, byte[]> map = cluster.member(0).getMap("weir-board.vanishing");
            await(() -> map.keySet().stream().noneMatch(each -> each.startsWith("note/")));
            await(() -> Boolean.FALSE.equals(answer(other)));
        } finally {
            store.close();
            other.close();
        }
    }

    @Test
    void saysNothingOnceItIsClosed() {
        HazelcastStore store = HazelcastStore.join(cluster.member(1), "closed");
        store.close();
        store.board().watch();
        store.board().post(bytes("late"));
        store.board().read(note -> {
            throw new IllegalStateException("there is nobody");
        });
        assertThatThrownBy(() -> store.board().isWatched().toCompletableFuture().get(5, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class);
    }

    @Test
    void aClientThatIsShutDownAfterItsStoreEndsInPeace() {
        HazelcastInstance instance = cluster.addClient();
        HazelcastStore store = HazelcastStore.join(instance, "in-peace");
        await(() -> answer(store) != null);
        for (int i = 0; i < 100; i++) {
            store.board().post(new byte[Board.MAX_NOTE]);
            store.board().watch();
        }
        store.close();
        instance.getLifecycleService().terminate(); // throws what its calls in flight were answered with
    }

    private static boolean isWatched(HazelcastStore store) {
        return Boolean.TRUE.equals(answer(store));
    }

    /** Null if it is not answered: the question is asked once at a time. */
    private static @Nullable Boolean answer(HazelcastStore store) {
        try {
            return store.board().isWatched().toCompletableFuture().get(1, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            return null;
        }
    }

    private static void await(BooleanSupplier met) {
        long giveUpNanos = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!met.getAsBoolean()) {
            assertThat(System.nanoTime() - giveUpNanos).as("waited for 60 s").isNegative();
            LockSupport.parkNanos(50_000_000);
        }
    }

    private static String idOf(HazelcastInstance member) {
        return member.getCluster().getLocalMember().getUuid().toString();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(Board.Note note) {
        return new String(note.content(), StandardCharsets.UTF_8);
    }
}
