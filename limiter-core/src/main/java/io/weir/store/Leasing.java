package io.weir.store;

/** Whether a node may hand out permits that it took from a bucket ahead of demand. */
public enum Leasing {
    /** For keys that a node asks for often, by itself and back; never where the limit is too small for it. */
    AUTOMATIC,

    /** Never: every grant is decided by the bucket itself. */
    NEVER
}
