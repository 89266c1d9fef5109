package io.weir.quota;

/**
 * How a key stands with a quota, after what it is part of.
 *
 * @param quota the rule
 * @param key whose balance
 * @param window the period that the numbers are of. That of a settlement or a refund is the period of what it settles or refunds
 * @param cap how much the key may spend in the period, without credit
 * @param spent how much it has spent of that; more than the cap after a settlement into debt, or once the cap was lowered
 * @param reserved how much is put aside of that
 * @param credit how much is left of the {@linkplain QuotaOperations#grantCredit credit} that has not expired
 * @param uncovered how much of this settlement found no room within cap, debt and credit, and was not charged; otherwise 0
 */
public record Balance(
        Quota quota, String key, Window window, long cap, long spent, long reserved, long credit, long uncovered) {

    /** The same numbers, under another name of the same key. */
    Balance of(String name) {
        return new Balance(quota, name, window, cap, spent, reserved, credit, uncovered);
    }

    /** How much can be spent now: of the period, and of credit. From 0. */
    public long remaining() {
        return Account.room(cap, spent, reserved) + credit;
    }
}
