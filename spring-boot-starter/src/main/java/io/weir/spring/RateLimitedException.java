package io.weir.spring;

import io.weir.Decision;
import java.util.Objects;

/**
 * A call that {@link RateLimited} did not let through. Without a stack trace: turning a call away must cost less than the call.
 * Over HTTP it becomes the answer that {@link io.weir.http.HttpMapping} gives to its decision, unless the application handles it.
 */
public final class RateLimitedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Not serialized: a decision belongs to the JVM that made it. */
    private final transient Decision decision;

    /** @param decision that denied */
    public RateLimitedException(Decision decision) {
        super(message(Objects.requireNonNull(decision, "decision")), null, false, false);
        this.decision = decision;
    }

    /** What was decided, and when to come back if that is known. */
    public Decision decision() {
        return decision;
    }

    private static String message(Decision decision) {
        return "limit \"" + decision.limit().name() + "\" denied " + decision.permits() + " permits"
                + (decision.impossible() ? ", and always will: its capacity is " + decision.capacity() : "")
                + decision.retryAfter().map(wait -> ", retry after " + wait).orElse("");
    }
}
