package io.weir;

import java.util.Objects;

/**
 * What a request needs of one limit, where it needs permits of several: see {@link Weir#tryAcquire}.
 *
 * @param limit the limit's name
 * @param key who asks, under that limit
 * @param permits how many, 1 or more
 */
public record Ask(String limit, String key, long permits) {

    /**
     * Checks what can be checked without the limit.
     *
     * @throws IllegalArgumentException if {@code permits} is less than 1
     */
    public Ask {
        Objects.requireNonNull(limit, "limit");
        Objects.requireNonNull(key, "key must not be null: choose what a request without a key counts as");
        if (permits < 1) {
            throw new IllegalArgumentException("permits of limit \"" + limit + "\" must be at least 1 but is " + permits
                    + ": leave out a limit that a request does not need");
        }
    }

    /** For one permit. */
    public static Ask of(String limit, String key) {
        return new Ask(limit, key, 1);
    }
}
