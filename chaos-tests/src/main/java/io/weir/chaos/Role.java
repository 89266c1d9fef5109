package io.weir.chaos;

/** What a process is to its cluster. */
enum Role {
    /** Holds buckets, and limits. */
    FULL,

    /** Limits, and holds nothing. */
    LITE,

    /** Limits from outside of the cluster. */
    CLIENT,

    /** Holds data, and has never heard of Weir: none of its jars is on the class path. */
    PLAIN
}
