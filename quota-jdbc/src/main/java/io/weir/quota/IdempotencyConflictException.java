package io.weir.quota;

/**
 * A key that was used before, for something else: another amount, other charges, or a reservation that was settled and is to be
 * released. The message names both. Nothing was moved.
 */
public final class IdempotencyConflictException extends QuotaException {

    private static final long serialVersionUID = 1;

    IdempotencyConflictException(String key, String first, String now) {
        super(
                "key \"" + key + "\" was used before to " + first + ", and now to " + now
                        + "; use another key for another request",
                null);
    }
}
