package io.weir.hazelcast;

/** What a node may answer from its own memory. */
enum Remembering {
    /** Denials that still hold, and grants from leases. */
    ALL,

    /** Denials that still hold. */
    DENIALS,

    /** Nothing. For tests that move the owners' clocks, which no node's memory follows. */
    NOTHING
}
