package io.weir.bench;

/** Spends one unit on behalf of a key. Thread-safe. */
interface Spends extends AutoCloseable {

    /**
     * Whether there was room.
     *
     * @param key of whom
     * @param idempotencyKey of this spend alone
     */
    boolean spend(String key, String idempotencyKey);

    @Override
    void close();
}
