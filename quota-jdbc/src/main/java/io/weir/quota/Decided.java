package io.weir.quota;

import java.time.Instant;
import java.util.List;

/**
 * What came of a step.
 *
 * @param answer for the caller
 * @param changes to be stored for it
 * @param exhausted what a node may remember, if it denied
 */
record Decided(QuotaDecision answer, List<Change> changes, List<Exhausted> exhausted) {

    /**
     * An account that has less than somebody asked for.
     *
     * @param room how much it has
     * @param now the instant at which that was so
     * @param until from when on it may have more, though nobody does anything
     * @param raised the account's version, which is another one once somebody does
     */
    record Exhausted(Spot spot, Balance balance, long room, Instant now, Instant until, long raised) {}
}
