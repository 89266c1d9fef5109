package io.weir.guard;

import java.time.Duration;

/**
 * A call that a {@link NodeConcurrencyGuard} did not let in: this node is doing as much of its kind as it may. Without a stack trace:
 * turning a call away must cost less than the call. It never holds the key.
 */
public final class NodeBusyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Serializable, as an exception has to be. */
    private final Duration retryAfter;

    NodeBusyException(String guard, Duration retryAfter) {
        super(
                "guard \"" + guard + "\" lets no further call in on this node, retry after " + retryAfter,
                null,
                false,
                false);
        this.retryAfter = retryAfter;
    }

    /** After how long to come back. */
    public Duration retryAfter() {
        return retryAfter;
    }
}
