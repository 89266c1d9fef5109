package io.weir.http;

/** Whether clients say which requests are the same one, sent again, in the field {@code Idempotency-Key}. */
public enum IdempotencyKeys {

    /** Each request pays, whatever it says. */
    IGNORED,

    /**
     * A request that is sent again under its key does not pay again. Only for handlers that do not work again either, or do it gladly: see {@link
     * QuotaCharge#isReplay}. A request without a key pays.
     */
    ACCEPTED,

    /** The same, and a request without a key is refused with 400. */
    REQUIRED
}
