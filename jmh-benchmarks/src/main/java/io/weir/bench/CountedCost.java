package io.weir.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * What checks of one kind cost on the network, counted.
 *
 * <p>Members also talk of themselves, heartbeats above all, and a node with leases renews them beside its callers' path.
 * Rounds of checks are too short for most of that, so that their median is what a check costs by itself.
 *
 * @param typical a check, in the median of the rounds
 * @param inAll a check, with what else the members had to do meanwhile
 */
record CountedCost(NetworkCost typical, NetworkCost inAll) {

    private static final int ROUNDS = 5;

    /** Makes checks, and counts. */
    static CountedCost of(Check check, int checksInRound, LoopbackCluster cluster) {
        List<Traffic> rounds = new ArrayList<>();
        Traffic first = Traffic.of(cluster);
        Traffic last = first;
        for (int round = 0; round < ROUNDS; round++) {
            Traffic before = Traffic.of(cluster);
            for (int i = 0; i < checksInRound; i++) {
                check.make();
            }
            last = Traffic.of(cluster);
            rounds.add(last.since(before));
        }
        return new CountedCost(
                NetworkCost.median(rounds, checksInRound), NetworkCost.mean(last.since(first), ROUNDS * checksInRound));
    }
}
