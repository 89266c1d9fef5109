package io.weir.http;

/** Where on its way a request is limited. */
public enum Position {

    /** Before anybody knows who is asking: what keeps floods from the authentication itself. */
    BEFORE_AUTHENTICATION,

    /** When the user is known. */
    AFTER_AUTHENTICATION
}
