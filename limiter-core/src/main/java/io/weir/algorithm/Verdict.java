package io.weir.algorithm;

/** What a rule says of one request. */
public enum Verdict {
    /** The permits were taken. */
    GRANTED,

    /** The permits are not there now; nothing was taken. The same request can be granted later. */
    DENIED,

    /** More permits than the rule's capacity: no wait would help, and nothing was taken (I5). */
    NEVER
}
