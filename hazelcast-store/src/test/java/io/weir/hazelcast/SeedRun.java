package io.weir.hazelcast;

import java.util.function.LongFunction;

/**
 * Runs one seed and tells what was wrong; nothing if it is empty. Seeds below zero are hazardous scenarios. Of types of the
 * JDK only, so that it can be called across class loaders.
 */
public final class SeedRun implements LongFunction<String> {

    /** For whoever loads this class by name. */
    public SeedRun() {}

    @Override
    public String apply(long seed) {
        try {
            return Simulation.run(scenario(seed)).violation();
        } catch (RuntimeException e) { // thrown where nothing should be: on the wire, say
            return "threw " + e;
        }
    }

    /** The scenario of a seed. */
    static Scenario scenario(long seed) {
        return seed < 0 ? Scenario.hazardous(seed) : Scenario.exact(seed);
    }
}
