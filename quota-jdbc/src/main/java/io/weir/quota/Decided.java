package io.weir.quota;

import java.time.Instant;
import java.util.List;

/**
 * What came of a step.
 *
 * @param answer for the caller
 * @param changes to be stored for it
 * @param known what a node may remember, if it denied: of each charge's account
 */
record Decided(QuotaDecision answer, List<Change> changes, List<Known> known) {

    /**
     * How much an account had.
     *
     * @param room how much it had
     * @param now the instant at which that was so
     * @param until from when on it may have more, though nobody does anything
     * @param raised the account's version, which is another one once somebody does
     */
    record Known(Spot spot, Balance balance, long room, Instant now, Instant until, long raised) {

        /** The same without the caller's key, which may be long: the account has its own. */
        Known withoutKey() {
            return new Known(spot, balance.of(spot.holder()), room, now, until, raised);
        }
    }
}
