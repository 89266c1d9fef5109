package io.weir.quota;

import java.util.Objects;
import java.util.UUID;

/**
 * What makes a request the same one when it is asked again. Counted apart for each quota and key of a {@link Charge}, so that clients of
 * one never meet those of another. Immutable.
 */
public final class IdempotencyKey {

    private final String text;
    private final boolean fresh;

    private IdempotencyKey(String text, boolean fresh) {
        this.text = text;
        this.fresh = fresh;
    }

    /** A key of the caller's, such as that of an {@code Idempotency-Key} field: any string but null. */
    public static IdempotencyKey of(String text) {
        return new IdempotencyKey(Objects.requireNonNull(text, "text"), false);
    }

    /**
     * A key that nobody has used before. A rejection under it costs no look into the database. Make one for each request: to ask
     * again under it, take {@link #of} of its {@link #text}.
     */
    public static IdempotencyKey fresh() {
        return new IdempotencyKey(UUID.randomUUID().toString(), true);
    }

    /** The key as it was given, or made. */
    public String text() {
        return text;
    }

    boolean isFresh() {
        return fresh;
    }

    /** The key as the database has it. */
    String stored() {
        return StoredText.of(text);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IdempotencyKey that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** The key with what could break a line of a log escaped. */
    @Override
    public String toString() {
        return stored();
    }
}
