package io.weir.quota;

/**
 * The database could not put transactions in an order: a serialization failure, a deadlock, or a first use at the same moment. Thrown
 * on a {@linkplain QuotaLedger#on caller's connection} only: roll its transaction back, and run all of it again. The ledger's own
 * transactions are retried by itself.
 */
public final class RetryableQuotaException extends QuotaException {

    private static final long serialVersionUID = 1;

    RetryableQuotaException(Throwable cause) {
        super("the transaction met another one; roll it back and run it again", cause);
    }
}
