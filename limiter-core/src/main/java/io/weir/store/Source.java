package io.weir.store;

/** Where a decision came from. */
public enum Source {
    /** A bucket of this JVM, which nobody else uses. */
    LOCAL,

    /** The owner of the bucket, somewhere in the cluster. */
    CLUSTER,

    /** This node's share of the limit, since the owner could not be reached. */
    SHARE,

    /** The limit's failure policy, without counting, since the owner could not be reached. */
    POLICY,

    /** The limit's kill switch: it is off and counts nothing. */
    SWITCHED_OFF
}
