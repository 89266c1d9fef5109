package io.weir.store.contract;

/** The seed of a randomised test: new in each run, and printed, so that {@code -Dweir.seed=...} replays it. */
final class Seed {

    private Seed() {}

    static long of(Class<?> test) {
        long seed = Long.getLong("weir.seed", System.nanoTime());
        System.out.println(test.getSimpleName() + ": replay with -Dweir.seed=" + seed);
        return seed;
    }
}
