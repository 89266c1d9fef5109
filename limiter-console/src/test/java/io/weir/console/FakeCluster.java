package io.weir.console;

import io.weir.algorithm.Rule;
import io.weir.store.Board;
import io.weir.store.Buckets;
import io.weir.store.Directives;
import io.weir.store.Leasing;
import io.weir.store.LocalStore;
import io.weir.store.Store;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Nodes of one thread, with a bucket each and one board: what is posted is there at once, and nothing expires by itself. */
final class FakeCluster {

    final List<String> present = new ArrayList<>();
    final Map<String, byte[]> notes = new LinkedHashMap<>();
    boolean watched;

    /** What was asked of the board, by what it was. */
    final Map<String, Integer> calls = new LinkedHashMap<>();

    Store join(String name) {
        present.add(name);
        return new NodeStore(LocalStore.create(), new NodeBoard(name));
    }

    private void count(String what) {
        calls.merge(what, 1, Integer::sum);
    }

    private final class NodeBoard implements Board {
        private final String name;

        NodeBoard(String name) {
            this.name = name;
        }

        @Override
        public List<Peer> members() {
            return present.stream()
                    .map(each -> new Peer(each, each, each.equals(name)))
                    .toList();
        }

        @Override
        public void watch() {
            count("watch");
            watched = true;
        }

        @Override
        public CompletionStage<Boolean> isWatched() {
            count("isWatched");
            return CompletableFuture.completedStage(watched);
        }

        @Override
        public void post(byte[] note) {
            count("post");
            Board.requireShort(note);
            notes.put(name, note);
        }

        @Override
        public void read(Consumer<Note> reader) {
            count("read");
            notes.forEach((from, note) -> {
                if (!from.equals(name)) {
                    reader.accept(new Note(from, note));
                }
            });
        }
    }

    private record NodeStore(LocalStore local, Board board) implements Store {

        @Override
        public Buckets buckets(String limit, Rule rule, Leasing leasing) {
            return local.buckets(limit, rule, leasing);
        }

        @Override
        public OptionalInt nodes() {
            return local.nodes();
        }

        @Override
        public Directives directives() {
            return local.directives();
        }

        @Override
        public void close() {
            local.close();
        }
    }
}
