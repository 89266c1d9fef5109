package io.weir.store;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A board of one node, which has nobody to tell anything. */
final class OneNodeBoard implements Board {

    @Override
    public List<Peer> members() {
        return List.of(new Peer("here", "", true));
    }

    @Override
    public void watch() {
        // there is nobody to tell
    }

    @Override
    public CompletionStage<Boolean> isWatched() {
        return CompletableFuture.completedStage(false);
    }

    @Override
    public void post(byte[] note) {
        Board.requireShort(note);
    }

    @Override
    public void read(Consumer<Note> reader) {
        Objects.requireNonNull(reader, "reader");
    }
}
