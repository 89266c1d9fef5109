package io.weir;

/**
 * What answers when the owner of a bucket has not, by the limit's deadline. There is no default: losing the store is
 * rare, and nobody should find out then what their limit does.
 *
 * <p>Under each of them a request for more than the limit's capacity is denied for ever, as it always is.
 */
public enum FailurePolicy {
    /** Denies (fails closed): logins, payments, spend. */
    DENY,

    /** Grants (fails open): fairness on ample capacity, where an outage must not turn anybody away. */
    GRANT,

    /**
     * Each node goes on alone with its share, the limit divided by the number of nodes (but at least one permit): what
     * all of them grant together stays near the limit. A key's share starts from its part of what the node last heard of
     * the key, and full if that is nothing; it outlives the outage, and is lowered to what the owner says meanwhile. What it
     * granted is charged to the owner once that answers again, down to zero.
     */
    LOCAL_SHARE
}
