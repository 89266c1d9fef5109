package io.weir.quota;

import org.jspecify.annotations.Nullable;

/**
 * The database did not answer, and no failure policy can answer in its place. Whether the request was done is unknown: ask again under
 * the same key, which does it once.
 */
public final class QuotaUnavailableException extends QuotaException {

    private static final long serialVersionUID = 1;

    QuotaUnavailableException(String message, @Nullable Throwable cause) {
        super(message + "; ask again under the same key, which does it once", cause);
    }
}
