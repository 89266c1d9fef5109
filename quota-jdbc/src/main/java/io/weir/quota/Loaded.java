package io.weir.quota;

import java.time.Instant;
import java.util.Map;

/**
 * What a decision starts from.
 *
 * @param now the one instant of the decision
 * @param accounts of all of the step's charges
 */
record Loaded(Instant now, Map<Spot, Account> accounts) {

    Account account(Charge charge) {
        Account account = accounts.get(Spot.of(charge));
        if (account == null) {
            throw new IllegalStateException("the account of " + Spot.of(charge) + " was not loaded");
        }
        return account;
    }
}
