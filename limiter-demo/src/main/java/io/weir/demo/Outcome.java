package io.weir.demo;

/** How a request ended. */
enum Outcome {
    GRANTED,
    DENIED,

    /** The member answered that the owner of the bucket could not be asked. */
    UNAVAILABLE,

    /** The member did not answer, or not as expected. */
    FAILED;

    static Outcome of(int status) {
        return switch (status) {
            case 200 -> GRANTED;
            case 429 -> DENIED;
            case 503 -> UNAVAILABLE;
            default -> FAILED;
        };
    }
}
