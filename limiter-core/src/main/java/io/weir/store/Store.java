package io.weir.store;

import io.weir.algorithm.Rule;
import java.util.List;
import java.util.OptionalInt;

/**
 * A place that keeps buckets. Thread-safe.
 *
 * <p>Third parties may implement this; the suite in {@code store-contract} says whether they did it right.
 */
public interface Store extends AutoCloseable {

    /**
     * The buckets of one limit. Calling it again for the same limit gives the same buckets, brought under {@code rule};
     * whether they lease was settled by the first call.
     *
     * @param limit the limit's name: 1 to 64 of {@code A-Z a-z 0-9 . _ -}
     * @param rule the numbers to decide by
     * @param leasing whether permits may be taken from them ahead of demand
     */
    Buckets buckets(String limit, Rule rule, Leasing leasing);

    /** {@link #buckets(String, Rule, Leasing)} with {@link Leasing#AUTOMATIC}. */
    default Buckets buckets(String limit, Rule rule) {
        return buckets(limit, rule, Leasing.AUTOMATIC);
    }

    /**
     * Among how many nodes a limit is to be divided while the store cannot be reached: the last number of nodes that
     * was stable, never the number that happens to be visible during a fault.
     *
     * @return at least 1, or empty if this store cannot know
     */
    OptionalInt nodes();

    /**
     * How this node gets on with the members that own buckets, as far as it has asked them.
     *
     * @return from memory, at once; one for each, and none of a store that has no such members
     */
    default List<OwnerHealth> owners() {
        return List.of();
    }

    /**
     * What all nodes of this store are to know about limits and keys besides what each was started with.
     *
     * @return always the same one of a store that shares; of one that does not, for which this default is, a table of its own
     *     with each call
     */
    default Directives directives() {
        return Directives.local();
    }

    /**
     * Where the nodes of this store put up notes for one another.
     *
     * @return always the same one of a store that shares; of one that does not, for which this default is, one of this node alone
     */
    default Board board() {
        return Board.ofOneNode();
    }

    /**
     * Gives up what this store holds and answers every request that waits, and every later one, with
     * {@link StoreUnavailableException.Reason#CLOSED}. Closing twice does nothing.
     */
    @Override
    void close();
}
