package io.weir.store;

/** Where a decision came from. */
public enum Source {
    /** A bucket of this JVM, which nobody else uses. */
    LOCAL,

    /** The owner of the bucket, somewhere in the cluster. */
    CLUSTER,

    /** Permits that this node had leased from the owner before it was asked for them. */
    LEASE,

    /** A denial by the owner that still holds, remembered by this node. */
    DENY_CACHE,

    /** This node's share of the limit, since the owner could not be reached. */
    SHARE,

    /** The limit's failure policy, without counting, since the owner could not be reached. */
    POLICY,

    /** The limit's kill switch: it is off and counts nothing. */
    SWITCHED_OFF,

    /** Somebody has blocked the key: it is denied until the end of the block, and not counted. */
    BLOCKED
}
