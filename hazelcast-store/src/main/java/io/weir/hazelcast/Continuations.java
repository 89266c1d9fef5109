package io.weir.hazelcast;

/** Where futures are completed, and so where user code runs: never on a thread that the store or Hazelcast needs. */
@FunctionalInterface
interface Continuations {

    /**
     * Runs a completion.
     *
     * @param refused runs instead if whoever is to run it refuses
     */
    void run(Runnable completion, Runnable refused);
}
