package io.weir.quota;

import org.jspecify.annotations.Nullable;

/** What a ledger throws when it has no answer, by name. Unless it says otherwise, nothing was moved. */
public abstract sealed class QuotaException extends RuntimeException
        permits IdempotencyConflictException,
                QuotaUnavailableException,
                RetryableQuotaException,
                TablesMissingException,
                UnknownOperationException {

    private static final long serialVersionUID = 1;

    QuotaException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
