package io.weir.demo;

/** The demo cannot start, for a reason that its user can change. The message is one line and says how. */
final class CannotStartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    CannotStartException(String message) {
        super(message);
    }
}
