package io.weir.chaos;

import java.nio.file.Path;
import java.util.List;

/**
 * A mechanism that a bound rests on, and how to take it out of the real source: what is compiled then goes first on the class
 * path of the processes of a cluster, so that there is no way to switch it off in what users get. Another one is a line here
 * and a test in {@link RemovedMechanismIT}.
 */
enum Removed {
    /** A member that slept believes that it is still the owner. */
    SLEEPING_OWNER("BucketCall", "if (!owner.isAwake()) {", "if (!owner.isAwake() && number < 0) {"),

    /** A call that Hazelcast runs twice is decided twice. */
    CALL_NUMBERS("BucketCall", "number <= last.number()", "number < 0"),

    /** Both sides of a split go on. */
    PROTECTION("HazelcastStore", ".setSplitBrainProtectionName(Majority.NAME)", ""),

    /** When a split heals, each bucket is what it is on the larger side. */
    MERGE_POLICY(
            "HazelcastStore",
            ".setMergePolicyConfig(new MergePolicyConfig().setPolicy(LowerBalance.class.getName()))",
            "");

    private final String type;
    private final String right;
    private final String wrong;

    /**
     * @param type in whose source
     * @param right what is there, exactly once
     * @param wrong what takes its place
     */
    Removed(String type, String right, String wrong) {
        this.type = type;
        this.right = right;
        this.wrong = wrong;
    }

    /** As {@link Altered#compiledTo}. */
    List<String> compiledTo(Path classes) {
        return new Altered(type, right, wrong).compiledTo(classes);
    }
}
