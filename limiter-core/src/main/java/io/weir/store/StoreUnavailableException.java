package io.weir.store;

import org.jspecify.annotations.Nullable;

/**
 * The store could not answer: the outage that a limit's failure policy is for.
 *
 * <p>A store throws nothing else for an outage, and never this for a mistake in its arguments or in its own code: a
 * failure is not mistaken for a denial, nor a bug for a failure. It carries no stack trace, since one can be thrown for
 * every request that a service handles; the {@linkplain #getCause() cause}, where there is one, has it.
 */
public final class StoreUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Why a store could not answer. */
    public enum Reason {
        /** No answer within the deadline. Whether the request was charged is unknown. */
        DEADLINE,

        /** The owner of the bucket is away, or refuses to decide, as one does that sees no majority of its cluster. */
        UNREACHABLE,

        /** The owner lacks this library, or has one that cannot be read: nothing but another deployment mends it. */
        INCOMPATIBLE,

        /** More is waiting for an answer, or more keys are in use, than the store was told to hold. */
        OVERLOADED,

        /** The store is closed. */
        CLOSED
    }

    private final Reason reason;
    private final boolean mayHaveCharged;

    /**
     * An outage.
     *
     * @param reason its kind
     * @param message what happened, for a person: without any key, which is the client's text
     * @param cause what the store was told by whatever it stands on, or null
     */
    public StoreUnavailableException(Reason reason, String message, @Nullable Throwable cause) {
        this(reason, message, cause, true);
    }

    private StoreUnavailableException(
            Reason reason, String message, @Nullable Throwable cause, boolean mayHaveCharged) {
        super(message, cause, false, false);
        this.reason = reason;
        this.mayHaveCharged = mayHaveCharged;
    }

    /**
     * An outage that was found before the request left: nobody can have charged it.
     *
     * @param reason its kind
     * @param message what happened, for a person: without any key
     */
    public static StoreUnavailableException beforeSending(Reason reason, String message) {
        return new StoreUnavailableException(reason, message, null, false);
    }

    /**
     * Whether the request may have been charged all the same. No {@link #reason()} tells: a call that was sent may have been
     * decided whatever became of its answer.
     *
     * @return false only if it surely was not, and can be made again without being charged twice
     */
    public boolean mayHaveCharged() {
        return mayHaveCharged;
    }

    /** The kind of outage. */
    public Reason reason() {
        return reason;
    }
}
