package io.weir.chaos;

import java.util.List;

/**
 * One way between two processes of a cluster.
 *
 * @param from the number of the process that sends
 * @param to the number of the process that does not get it, if the link is hurt
 */
record Link(int from, int to) {

    /** Both ways between a process and each of some others. */
    static List<Link> between(int one, List<Integer> others) {
        return others.stream()
                .flatMap(other -> List.of(new Link(one, other), new Link(other, one)).stream())
                .toList();
    }
}
