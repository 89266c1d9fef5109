package io.weir;

import java.util.Objects;

/**
 * What a request needs of one limit, where it needs permits of several: see {@link Weir#tryAcquire}.
 *
 * @param limiter the limit's
 * @param key who asks, under that limit
 * @param permits how many, 1 or more
 */
public record Ask(Limiter limiter, String key, long permits) {

    /**
     * Checks the parts.
     *
     * @throws IllegalArgumentException if {@code permits} is less than 1
     */
    public Ask {
        Objects.requireNonNull(limiter, "limiter");
        Objects.requireNonNull(key, "key must not be null: choose what a request without a key counts as");
        if (permits < 1) {
            throw new IllegalArgumentException(
                    "permits of limit \"" + limiter.limit().name() + "\" must be at least 1 but is " + permits
                            + ": leave out a limit that a request does not need");
        }
    }

    /** For one permit. */
    public static Ask of(Limiter limiter, String key) {
        return new Ask(limiter, key, 1);
    }

    /** What it is asked of is the same, whatever is asked. */
    boolean isOfTheSame(Ask other) {
        return limiter == other.limiter && key.equals(other.key);
    }
}
