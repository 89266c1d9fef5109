package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The simulation finds mistakes: each of these, planted in the real source, is found within some seeds. A simulation that
 * finds nothing would prove nothing.
 */
class PlantedMistakesTest {

    private static final int SEEDS = Integer.getInteger("weir.simulation.mistake-seeds", 3_000);

    /**
     * A mistake.
     *
     * @param what the rule that it breaks
     * @param in the class whose source it is planted in
     * @param right what is there, exactly once
     * @param wrong what is put in its place
     */
    record Mistake(String what, String in, String right, String wrong) {
        @Override
        public String toString() {
            return what;
        }
    }

    static Stream<Mistake> mistakes() {
        return Stream.of(
                new Mistake(
                        "a number that is remembered is executed again",
                        "BucketCall",
                        "number <= last.number()",
                        "number < last.number()"),
                new Mistake(
                        "a call that was given up is executed after a later one",
                        "BucketCall",
                        "number <= last.number()",
                        "number == last.number()"),
                new Mistake(
                        "a request is decided after its deadline",
                        "Node",
                        "ownerClocks.inOwnersTime(owner, waiter.deadlineNanos());",
                        "ownerClocks.inOwnersTime(owner, waiter.deadlineNanos()) + 60_000_000_000L;"),
                new Mistake(
                        "a member that slept decides",
                        "BucketCall",
                        "if (!owner.isAwake()) {",
                        "if (!owner.isAwake() && number < 0) {"),
                new Mistake(
                        "a call that was decided again keeps its first run's backup",
                        "BucketCall",
                        "        backup = null; // Hazelcast may run one and the same object again",
                        ""),
                new Mistake(
                        "the backup does not get what the owner computed",
                        "BucketCall",
                        "backup = new BucketBackup(next, ttlSeconds)",
                        "backup = new BucketBackup(stored == null ? next : stored, ttlSeconds)"),
                new Mistake(
                        "a call's record is dropped before its last retry",
                        "BucketCall",
                        "return latest + Owner.CLOCK_DISAGREEMENT_NANOS;",
                        "return latest - 3 * Owner.CLOCK_DISAGREEMENT_NANOS;"),
                new Mistake(
                        "a call's record is dropped while an owner whose clock is behind may repeat it",
                        "BucketCall",
                        "return latest + Owner.CLOCK_DISAGREEMENT_NANOS;",
                        "return latest;"),
                new Mistake(
                        "the records of other nodes are dropped",
                        "StoredBucket",
                        "boolean needed = each.keepUntilNanos() > state.atNanos();",
                        "boolean needed = false;"),
                new Mistake(
                        "an entry lives until it is full, and no longer for its records",
                        "StoredBucket",
                        "            until = Math.max(until, each.keepUntilNanos());",
                        "            until = Math.max(until, each.keepUntilNanos() - 100_000_000_000L);"),
                new Mistake(
                        "an entry's life ends before it is full",
                        "StoredBucket",
                        "long needed = neededUntilNanos() - nowNanos;",
                        "long needed = (neededUntilNanos() - nowNanos) / 2;"),
                new Mistake(
                        "an entry's life is not a second longer than it must be",
                        "StoredBucket",
                        "KEPT_LONGER_SECONDS = 7",
                        "KEPT_LONGER_SECONDS = 0"),
                new Mistake(
                        "an entry never ends",
                        "StoredBucket",
                        ": Math.min(needed / 1_000_000_000 + 1 + KEPT_LONGER_SECONDS, MAX_TTL_SECONDS)",
                        ": MAX_TTL_SECONDS"),
                new Mistake(
                        "the answer of a call that was given up is taken for that of the call in flight (L1)",
                        "KeyLine",
                        "        if (inFlight != flight) {\n            return false;\n        }",
                        ""),
                new Mistake(
                        "two calls are in flight at once",
                        "KeyLine",
                        "if (inFlight != null || retired) {",
                        "if (retired) {"),
                new Mistake(
                        "a call is not given up when its last waiter has left",
                        "KeyLine",
                        "if (inFlight != null && inFlight.deadlineNanos() <= nowNanos) {",
                        "if (inFlight != null && inFlight.deadlineNanos() <= nowNanos - 60_000_000_000L) {"),
                new Mistake(
                        "a call is given up at its first waiter's deadline",
                        "KeyLine",
                        "deadline = Math.max(deadline, next.deadlineNanos());",
                        "deadline = deadline == Long.MIN_VALUE ? next.deadlineNanos()"
                                + " : Math.min(deadline, next.deadlineNanos());"),
                new Mistake(
                        "who waits is not woken when the call before it has landed",
                        "HazelcastBuckets",
                        "            node.onCourier(() -> depart(line));\n        }\n    }\n\n    private void deliver(",
                        "        }\n    }\n\n    private void deliver("),
                new Mistake(
                        "a deadline is told by the lower end of what is known of the owner's clock",
                        "OwnerClocks",
                        "return nanos + known.driftedTo(now).most();",
                        "return nanos + known.driftedTo(now).least() - 1_000_000_000L;"),
                new Mistake(
                        "an older version of the limit overwrites a newer one on a node",
                        "HazelcastBuckets",
                        "rule = rule.orNewer(changed);",
                        "rule = changed;"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void isFound(Mistake mistake, @TempDir Path classes) {
        Mutant mutant = Mutant.of(mistake.in(), mistake.right(), mistake.wrong(), classes);
        String found = firstViolation(mutant);
        System.out.println("Planted: " + mistake.what() + ". " + found);
        assertThat(found).as("mistake: " + mistake.what()).startsWith("Found");
    }

    @Test
    void nothingIsFoundWhereNothingIsPlanted() {
        assertThat(firstViolation(Mutant.none())).startsWith("Not found");
    }

    /** Of exact and hazardous scenarios in turn. */
    private static String firstViolation(Mutant mutant) {
        LongFunction<String> run = mutant.load(SeedRun.class);
        for (int i = 1; i <= SEEDS; i++) {
            long seed = i % 4 == 0 ? -i : i;
            String violation = run.apply(seed);
            if (!violation.isEmpty()) {
                return "Found by seed " + seed + ", after " + i + ": " + violation.strip();
            }
        }
        return "Not found in " + SEEDS + " seeds";
    }
}
