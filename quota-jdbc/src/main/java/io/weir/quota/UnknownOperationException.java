package io.weir.quota;

/**
 * A reservation or a spend that the database does not have: it was denied, made under another key, rolled back or {@linkplain QuotaLedger#cleanUp
 * cleaned up}. Nothing was moved.
 */
public final class UnknownOperationException extends QuotaException {

    private static final long serialVersionUID = 1;

    UnknownOperationException(String message) {
        super(message, null);
    }
}
