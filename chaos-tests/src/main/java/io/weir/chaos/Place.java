package io.weir.chaos;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Where a process lives: every member has a loopback address of its own, and all of a cluster listen on one port.
 *
 * @param cluster the cluster's name; two of them do not meet
 * @param number of this process, 1 to {@value #MOST}
 * @param port of all members of the cluster
 */
record Place(String cluster, int number, int port) {

    /** The most processes that one cluster has in its life. */
    static final int MOST = 8;

    Place {
        if (number < 1 || number > MOST) {
            throw new IllegalArgumentException("number of a process must be 1 to " + MOST + " but is " + number);
        }
    }

    /**
     * Checks that all addresses are there, without being set up one by one: other systems have but the first.
     *
     * @throws IllegalStateException if they are not
     */
    static void requireLinux(String system) {
        if (!system.equals("Linux")) {
            throw new IllegalStateException("chaos tests need Linux: each process has an address of its own, "
                    + address(1) + " to " + address(MOST) + ", and this is " + system);
        }
    }

    String address() {
        return address(number);
    }

    /** Where the members are, whether or not they have been started. */
    List<String> everybody() {
        return IntStream.rangeClosed(1, MOST)
                .mapToObj(each -> address(each) + ":" + port)
                .toList();
    }

    private static String address(int number) {
        return "127.0.0." + (10 + number);
    }
}
