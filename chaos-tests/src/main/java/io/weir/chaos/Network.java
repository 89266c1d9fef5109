package io.weir.chaos;

import java.util.List;
import java.util.stream.IntStream;

/**
 * What lies between the processes of one cluster, and can be hurt: one link at a time, in one direction. Made anew for each
 * cluster, and gone when it is closed.
 */
interface Network extends AutoCloseable {

    /** Members that every other one looks for when it starts, and when it has been cut off: those with the first numbers. */
    int SEEDS = 3;

    /** Where a process is to live: its numbers are 1 and up, and each is asked for once. */
    Place place(int number, Role role);

    /**
     * Whom a process looks for. Not for those that may come after it: Hazelcast waits for each that does not answer, and
     * would be slow to merge.
     */
    static List<Integer> lookedForBy(int number, Role role) {
        int last = role == Role.CLIENT ? number - 1 : number;
        return IntStream.rangeClosed(1, Math.max(SEEDS, last)).boxed().toList();
    }

    /**
     * Changes what becomes of what is sent over a link from now on.
     *
     * @throws IllegalArgumentException if this network cannot do that
     */
    void set(Link link, Weather weather);

    /** Makes all links {@link Weather#CLEAR} again. */
    void heal();

    @Override
    void close();
}
