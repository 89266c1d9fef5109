package io.weir.http;

/** What happens to a request that does not say who is asking. */
public enum MissingKey {

    /** It is refused with 403, whatever is left of the limit. */
    DENY,

    /** It counts under one key, together with all others of its kind. */
    SHARED,

    /** Its route does not apply; the next that matches does. If none is left, it is not limited. */
    SKIP
}
