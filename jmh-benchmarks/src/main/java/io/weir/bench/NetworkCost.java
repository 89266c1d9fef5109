package io.weir.bench;

import java.util.List;
import java.util.function.ToLongFunction;

/**
 * What one check costs on the network.
 *
 * @param operations operations that the caller invoked
 * @param answers answers to them that came over the network
 * @param backups backups that were acknowledged to the caller over the network
 * @param packets packets between any members
 */
record NetworkCost(double operations, double answers, double backups, double packets) {

    /** What as many checks have cost, shared out among them. */
    static NetworkCost mean(Traffic traffic, int checks) {
        return new NetworkCost(
                (double) traffic.operations() / checks,
                (double) traffic.answers() / checks,
                (double) traffic.backups() / checks,
                (double) traffic.packets() / checks);
    }

    /** The median of rounds of as many checks each. */
    static NetworkCost median(List<Traffic> rounds, int checks) {
        return new NetworkCost(
                median(rounds, Traffic::operations) / checks,
                median(rounds, Traffic::answers) / checks,
                median(rounds, Traffic::backups) / checks,
                median(rounds, Traffic::packets) / checks);
    }

    private static double median(List<Traffic> rounds, ToLongFunction<Traffic> count) {
        return Median.of(rounds.stream().mapToDouble(count::applyAsLong).toArray());
    }

    /**
     * How many times a caller waits for a link, there and back. It waits for the owner's answer; where a backup is
     * acknowledged, the owner has told the backup before, and the backup the caller: half a round trip more.
     */
    double roundTrips() {
        return answers + backups / 2;
    }

    /** The same, if no packet travelled at the same time as another one: it cannot be more. */
    double mostRoundTrips() {
        return packets / 2;
    }
}
