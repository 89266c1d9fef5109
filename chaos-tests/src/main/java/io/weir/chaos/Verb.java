package io.weir.chaos;

/**
 * What a process can be asked. A question is a line of a number, a verb and its words; its answer is a line of the same
 * number, {@link Member#OK} or {@link Member#FAILED}, and words:
 *
 * <pre>
 *   7 LOAD hot 1 8 1000 PT2M PT0S key-1           asked
 *   7 TOLD 2 key-1 801234567 801334567 1 CLUSTER granted   one for each {@link Outcome} of note, as it happens
 *   7 OK 1000 200 800 0 4301200                   answered
 * </pre>
 *
 * Many questions may be open at once. Words hold no spaces, except for the last one of a failure.
 */
enum Verb {
    /** Answers {@link System#nanoTime} and Hazelcast's milliseconds. */
    CLOCK,

    /** Answers the UUID under which the cluster knows this process. */
    IDENTITY,

    /** Answers how many members this process sees. */
    MEMBERS,

    /** Answers whether every partition of the cluster has an owner and its backups. */
    SAFE,

    /** Answers how many entries this process holds, as the owner and as a backup. */
    ENTRIES,

    /** Of a {@link LimitWords limit}: joins the store if need be, and asks by this limit from now on. */
    LIMIT,

    /** Of a limit and a key: answers the UUID of the key's owner. */
    OWNER,

    /** Of a limit and a key: answers the UUIDs of the members that hold it, the owner first. */
    COPIES,

    /** Of a limit and a key: answers a {@link Peek}. */
    PEEK,

    /** Of a limit: answers its state and, if it is degraded, why, in any number of words. */
    HEALTH,

    /** Of a {@link Load}: reports each grant and each answer of a failure policy, then answers a {@link Tally}. */
    LOAD,

    /** Ends all loads before their time. */
    STOP,

    /** Of two instants of {@link System#nanoTime}: answers how long this process {@link Waited} between them. */
    WAITED,

    /** Leaves the cluster with a goodbye. */
    LEAVE
}
