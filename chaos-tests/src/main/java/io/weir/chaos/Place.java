package io.weir.chaos;

import java.util.List;

/**
 * Where a process lives.
 *
 * @param cluster the cluster's name; two of them do not meet
 * @param number of this process in its cluster, 1 and up
 * @param listens the address that it binds to
 * @param reached the address that others know it by, where something may stand in between
 * @param port of both
 * @param everybody where the members that it looks for are reached, address and port, whether or not they have been started
 * @param prefix the command that has another command run there; empty if it needs none
 */
record Place(
        String cluster,
        int number,
        String listens,
        String reached,
        int port,
        List<String> everybody,
        List<String> prefix) {

    /** What {@link #read} needs, as arguments of a program. */
    List<String> words() {
        return List.of(
                cluster,
                Integer.toString(number),
                listens,
                reached,
                Integer.toString(port),
                String.join(",", everybody));
    }

    static Place read(List<String> words) {
        return new Place(
                words.get(0),
                Integer.parseInt(words.get(1)),
                words.get(2),
                words.get(3),
                Integer.parseInt(words.get(4)),
                List.of(words.get(5).split(",")),
                List.of());
    }
}
