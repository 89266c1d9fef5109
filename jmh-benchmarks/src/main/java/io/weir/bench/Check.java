package io.weir.bench;

/** A check that can be made again and again by one thread, and each time finds out whether it went as its kind says. */
@FunctionalInterface
interface Check {

    /**
     * Makes it once.
     *
     * @throws IllegalStateException if the outcome is another one, or came from elsewhere
     */
    void make();
}
