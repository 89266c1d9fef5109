package io.weir.store;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Where the nodes of a store put up short notes for one another, which vanish by themselves: how their limits stand, say, for a
 * person who looks at all of them. Thread-safe, and nothing here waits.
 *
 * <p>Nobody has to post unless somebody reads. Who reads {@linkplain #watch says so} again and again, and who might have something to
 * say asks {@linkplain #isWatched whether anybody does}, about once a second: that is cheap.
 *
 * <p>It is no part of deciding. A note may be lost, and a store that cannot keep any is as good as another.
 */
public interface Board {

    /** The longest note, in bytes. */
    int MAX_NOTE = 256 * 1024;

    /** For how many seconds a note is there unless it is posted anew. */
    int NOTE_SECONDS = 5;

    /** For how many seconds it is remembered that somebody watches. */
    int WATCH_SECONDS = 10;

    /**
     * One of those that keep the store's buckets, or this node, if nobody else does. Immutable.
     *
     * @param id tells it from others; never the same again after it has left
     * @param name for a person to read, as {@link OwnerHealth#member} has it; empty if it has none
     * @param here whether it is this node
     */
    record Peer(String id, String name, boolean here) {
        /** Checks that nothing is missing. */
        public Peer {
            Objects.requireNonNull(id, "id");
            Objects.requireNonNull(name, "name");
        }
    }

    /**
     * What a node has posted. Not to be changed.
     *
     * @param from the {@link Peer#id} of the node or, if it is no member, another id of its own
     * @param content what it said
     */
    @SuppressWarnings("ArrayRecordComponent") // passed on, and compared by nobody
    record Note(String from, byte[] content) {
        /** Checks that nothing is missing. */
        public Note {
            Objects.requireNonNull(from, "from");
            Objects.requireNonNull(content, "content");
        }
    }

    /** The members that this node knows at this moment. From memory, at once. */
    List<Peer> members();

    /** Says that notes are read, for the next {@value #WATCH_SECONDS} s. Tells every node that it can reach. */
    void watch();

    /**
     * Whether somebody has said {@link #watch} lately.
     *
     * @return completes on a thread that must not be held up; exceptionally if that could not be found out
     */
    CompletionStage<Boolean> isWatched();

    /**
     * Puts up this node's note, in place of the one before.
     *
     * @throws IllegalArgumentException if it has more than {@value #MAX_NOTE} bytes
     */
    void post(byte[] note);

    /**
     * Asks for the notes of the other nodes.
     *
     * @param reader is told each as it arrives, on a thread that must not be held up, and maybe after this has returned. It is not told of
     *     a node that has posted none lately, or cannot be reached
     */
    void read(Consumer<Note> reader);

    /** The board of a store that nobody else uses: there is one member, and there are no others to read or to be read by. */
    static Board ofOneNode() {
        return new OneNodeBoard();
    }

    /** Checks the length of a note that is to be posted. */
    static void requireShort(byte[] note) {
        if (note.length > MAX_NOTE) {
            throw new IllegalArgumentException(
                    "a note must have at most " + MAX_NOTE + " bytes but has " + note.length);
        }
    }
}
