package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Rule;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The simulation finds mistakes: each of these, planted in the real source, is found within some seeds. A simulation that
 * finds nothing would prove nothing. Every third of them in the gate, since each is compiled; all with the profile {@code simulation}.
 */
class PlantedMistakesTest {

    private static final int SEEDS = Integer.getInteger("weir.simulation.mistake-seeds", 3_000);

    /**
     * A mistake.
     *
     * @param what the rule that it breaks
     * @param in the class whose source it is planted in
     */
    record Mistake(String what, Class<?> in, List<Mutant.Edit> edits) {
        /**
         * @param right what is there, exactly once
         * @param wrong what is put in its place
         */
        Mistake(String what, Class<?> in, String right, String wrong) {
            this(what, in, List.of(new Mutant.Edit(right, wrong)));
        }

        Mistake and(String right, String wrong) {
            return new Mistake(
                    what,
                    in,
                    Stream.concat(edits.stream(), Stream.of(new Mutant.Edit(right, wrong)))
                            .toList());
        }

        @Override
        public String toString() {
            return what;
        }
    }

    static Stream<Mistake> mistakes() {
        List<Mistake> all = all().toList();
        int step = Boolean.getBoolean("weir.simulation.all-mistakes") ? 1 : 3;
        return IntStream.iterate(0, i -> i < all.size(), i -> i + step).mapToObj(all::get);
    }

    private static Stream<Mistake> all() {
        return Stream.of(
                new Mistake(
                        "a number that is remembered is executed again",
                        BucketCall.class,
                        "number <= last.number()",
                        "number < last.number()"),
                new Mistake(
                        "a call that was given up is executed after a later one",
                        BucketCall.class,
                        "number <= last.number()",
                        "number == last.number()"),
                new Mistake(
                        "a request is decided after its deadline",
                        Node.class,
                        "ownerClocks.inOwnersTime(owner, waiter.deadlineNanos());",
                        "ownerClocks.inOwnersTime(owner, waiter.deadlineNanos()) + 60_000_000_000L;"),
                new Mistake(
                        "a member that slept decides",
                        BucketCall.class,
                        "if (!owner.isAwake()) {",
                        "if (!owner.isAwake() && number < 0) {"),
                new Mistake(
                        "a call that was decided again keeps its first run's backup",
                        BucketCall.class,
                        "        backup = null; // Hazelcast may run one and the same object again",
                        ""),
                new Mistake(
                        "the backup does not get what the owner computed",
                        BucketCall.class,
                        "backup = new BucketBackup(next, ttlSeconds)",
                        "backup = new BucketBackup(stored == null ? next : stored, ttlSeconds)"),
                new Mistake(
                        "a call's record is dropped before its last retry",
                        BucketCall.class,
                        "long keep = latest + Owner.CLOCK_DISAGREEMENT_NANOS;",
                        "long keep = latest - 3 * Owner.CLOCK_DISAGREEMENT_NANOS;"),
                new Mistake(
                        "a call's record is dropped while an owner whose clock is behind may repeat it",
                        BucketCall.class,
                        "long keep = latest + Owner.CLOCK_DISAGREEMENT_NANOS;",
                        "long keep = latest;"),
                new Mistake(
                        "a call's record is dropped as soon as a later one's may be",
                        BucketCall.class,
                        "return last == null ? keep : Math.max(keep, last.keepUntilNanos());",
                        "return keep;"),
                new Mistake(
                        "a repeated answer does not wait for the backup",
                        BucketCall.class,
                        "backup = new BucketBackup(stored, stored.ttlSeconds(now));",
                        "backup = null;"),
                new Mistake(
                        "the records of other nodes are dropped",
                        StoredBucket.class,
                        "if (each.isNeededAt(state.atNanos()) && ",
                        "if (each.isNeededAt(Long.MAX_VALUE) && "),
                new Mistake(
                        "an entry lives until it is full, and no longer for its records",
                        StoredBucket.class,
                        "            until = Math.max(until, each.neededUntilNanos());",
                        ""),
                new Mistake(
                        "an entry's life ends before it is full",
                        StoredBucket.class,
                        "long needed = neededUntilNanos() - nowNanos;",
                        "long needed = (neededUntilNanos() - nowNanos) / 2;"),
                new Mistake(
                        "an entry's life is not a second longer than it must be",
                        StoredBucket.class,
                        "KEPT_LONGER_SECONDS = 7",
                        "KEPT_LONGER_SECONDS = 0"),
                new Mistake(
                        "an entry never ends",
                        StoredBucket.class,
                        ": Math.min(needed / 1_000_000_000 + 1 + KEPT_LONGER_SECONDS, MAX_TTL_SECONDS)",
                        ": MAX_TTL_SECONDS"),
                new Mistake(
                        "the answer of a call that was given up is taken for that of the call in flight (L1)",
                        KeyLine.class,
                        "        if (inFlight != flight) {\n            return false;\n        }",
                        ""),
                new Mistake(
                        "two calls are in flight at once",
                        KeyLine.class,
                        "if (inFlight != null || boarding || retired) {",
                        "if (retired) {"),
                new Mistake(
                        "a call is not given up when its last waiter has left",
                        KeyLine.class,
                        "if (flight == null || (flight.deadlineNanos() > nowNanos && flight.isWaitedFor())) {",
                        "if (flight == null || flight.deadlineNanos() > nowNanos - 60_000_000_000L) {"),
                new Mistake(
                        "a call is given up at its first waiter's deadline",
                        KeyLine.class,
                        "deadline = Math.max(deadline, next.deadlineNanos());",
                        "deadline = deadline == Long.MIN_VALUE ? next.deadlineNanos()"
                                + " : Math.min(deadline, next.deadlineNanos());"),
                new Mistake(
                        "who waits is not woken when the call before it has landed",
                        HazelcastBuckets.class,
                        "if (boards || line.boardAfter(flight, now)) {",
                        "if (boards && flight.waiters().isEmpty()) {"),
                new Mistake(
                        "a deadline is told by the lower end of what is known of the owner's clock",
                        OwnerClocks.class,
                        "return nanos + known.driftedTo(now).most();",
                        "return nanos + known.driftedTo(now).least() - 1_000_000_000L;"),
                new Mistake(
                        "an older version of the limit overwrites a newer one on a node",
                        HazelcastBuckets.class,
                        "rule = rule.orNewer(changed);",
                        "rule = changed;"),
                new Mistake(
                        "refill does not stop short of what is lent",
                        StoredBucket.class,
                        "return rule.advance(latest, lent, nowNanos);",
                        "return rule.advance(latest, 0, nowNanos);"),
                new Mistake(
                        "a record is dropped while its lease lives (L4)",
                        CallRecord.class,
                        "return nowNanos < neededUntilNanos();",
                        "return held == 0 && nowNanos < neededUntilNanos();"),
                new Mistake(
                        "a node counts a lease's life from the answer (L5)",
                        Borrower.class,
                        "lease.apply(report, settled, flight.sentNanos())",
                        "lease.apply(report, settled, nowNanos)"),
                new Mistake(
                        "a lease is prolonged and that is not written (L5)",
                        Settlement.class,
                        "boolean extended = report != null && changed && held > 0;",
                        "boolean extended = report != null && held > 0;"),
                new Mistake(
                        "an owner ends a lease before its node does (L5)",
                        Settlement.class,
                        "static final Duration MARGIN = Duration.ofMillis(50);",
                        "static final Duration MARGIN = Duration.ofMillis(-50);"),
                new Mistake(
                        "a report revives a lease that has expired (L6)",
                        Settlement.class,
                        "Math.min(report.kept(), mine);",
                        "report.kept();"),
                new Mistake(
                        "a node spends from a lease that has expired (L6)",
                        HeldLease.class,
                        "while (have >= permits && nowNanos < expiryNanos) {",
                        "while (have >= permits) {"),
                new Mistake(
                        "permits that were granted to waiters are held too (L7)",
                        Settlement.class,
                        "new LeaseAnswer(kept, lent, extended)",
                        "new LeaseAnswer(kept, lent + requests.size(), extended)"),
                new Mistake(
                        "a node goes on spending what it gives back (L11)",
                        Borrower.class,
                        "long returned = gives ? lease.drain() : 0;",
                        "long returned = gives ? lease.report() : 0;"),
                new Mistake(
                        "an owner takes back more than it had lent (L11)",
                        Settlement.class,
                        "Math.min(report.returned(), mine - kept);",
                        "report.returned();"),
                new Mistake(
                        "a denial that settles is not written (L13)",
                        Settlement.class,
                        "|| kept < mine // spent or given back: a denial that settles is written (L13)",
                        ""),
                new Mistake(
                        "what a node says of its lease counts after its deadline",
                        BucketCall.class,
                        "report != null && now <= report.deadlineNanos() ? report : null;",
                        "report;"),
                new Mistake(
                        "a lease is as large as the first bandwidth allows (L18)",
                        Settlement.class,
                        "long rest = available.lowestLevel();",
                        "long rest = available.level(0);"),
                new Mistake(
                        "nothing is given back when a store is closed",
                        HazelcastBuckets.class,
                        "if (flight != null && mayReturn.getAsBoolean()) {",
                        "if (flight != null && !mayReturn.getAsBoolean()) {"),
                new Mistake(
                        "a remembered denial answers for more than the capacity (I5)",
                        Denial.class,
                        "asked <= most && ",
                        ""),
                new Mistake(
                        "a node holds what the owner says, whatever was spent meanwhile (L1)",
                        HeldLease.class,
                        "next = Math.max(0, have - lost) + answer.lent();",
                        "next = lost < 0 ? lost : answer.accepted() + answer.lent();"),
                new Mistake(
                                "what is held is read before the call before has landed (L1)",
                                KeyLine.class,
                                "    private boolean retired;",
                                "    private boolean retired; private long before = Long.MAX_VALUE;")
                        .and(
                                "queue.addLast(waiter);",
                                "queue.addLast(waiter); before = Math.min(before, memory.borrower().lease().held());")
                        .and(
                                "LeaseReport report = memory.report(leaving, rule, nowNanos, deadline);",
                                "LeaseReport read = memory.report(leaving, rule, nowNanos, deadline);"
                                        + "LeaseReport report = read == null ? null : new LeaseReport("
                                        + "Math.min(read.kept(), before), read.returned(), read.wanted(),"
                                        + "read.ttlNanos(), read.deadlineNanos()); before = Long.MAX_VALUE;"),
                new Mistake(
                        "refill goes on as if what has expired had never been out (L3)",
                        StoredBucket.class,
                        "long lent = lentAt(state.atNanos());",
                        "long lent = lentAt(nowNanos);"),
                new Mistake(
                        "refill goes on as if what has expired were still out (L3)",
                        StoredBucket.class,
                        "                lent -= each.held();\n",
                        ""),
                new Mistake(
                        "a node keeps what was not accepted (L5)",
                        HeldLease.class,
                        "long lost = report.kept() - answer.accepted();",
                        "long lost = 0 * (report.kept() - answer.accepted());"),
                new Mistake(
                        "a node spends longer though its lease was not extended (L5)",
                        HeldLease.class,
                        "if (answer.extended()) {",
                        "if (answer.extended() || report.kept() > 0) {"),
                new Mistake(
                        "an older version of the limit overwrites a newer one on the owner (L12)",
                        Rule.class,
                        "return state.rule().orNewer(this);",
                        "return this;"),
                new Mistake(
                        "a lowered limit leaves more than what is lent leaves room for (L12)",
                        Algorithm.class,
                        "long most = Math.max(0, bandwidths.get(i).capacity() - lent);",
                        "long most = bandwidths.get(i).capacity();"),
                new Mistake(
                        "a request that leases stand against leaves no mark (L16)",
                        Settlement.class,
                        "long reachable = step.state().rule().algorithm().smallestCapacity() - lent;",
                        "long reachable = step.state().rule().algorithm().smallestCapacity();"),
                new Mistake(
                        "leases are asked back for ever (L16)",
                        Settlement.class,
                        "return stored.lastExpiryNanos(at);",
                        "return Long.MAX_VALUE;"),
                new Mistake(
                        "more is lent while leases are asked back (L16)",
                        Settlement.class,
                        "boolean lends = recall <= at && ",
                        "boolean lends = "),
                new Mistake(
                        "a denial is remembered for longer than the gap while permits are lent (L16)",
                        Denial.class,
                        "long until = Math.min(wait, lentElsewhere ? gap : LONGEST.toNanos());",
                        "long until = lentElsewhere ? 20 * LONGEST.toNanos() : Math.min(wait, LONGEST.toNanos());"),
                new Mistake(
                        "nobody closes the doors after boarding",
                        HazelcastBuckets.class,
                        "            line.closeDoors();\n",
                        ""));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void isFound(Mistake mistake, @TempDir Path classes) {
        Mutant mutant = Mutant.of(mistake.in(), mistake.edits(), classes);
        String found = firstViolation(mutant, SEEDS);
        System.out.println("Planted: " + mistake.what() + ". " + found);
        assertThat(found).as("mistake: " + mistake.what()).startsWith("Found");
    }

    @Test
    void nothingIsFoundWhereNothingIsPlanted() {
        assertThat(firstViolation(Mutant.none(), SEEDS / 5)).startsWith("Not found");
    }

    /** Boarding saves calls, and nothing else rests on it. */
    @Test
    void departingWhileOthersBoardBreaksNothing(@TempDir Path classes) {
        Mutant.Edit leaves = new Mutant.Edit(
                "if (inFlight != null || boarding || retired) {\n            return null;",
                "if (inFlight != null || retired) {\n            return null;");
        assertThat(firstViolation(Mutant.of(KeyLine.class, List.of(leaves), classes), SEEDS / 5))
                .startsWith("Not found");
    }

    /** Of exact and hazardous scenarios in turn. */
    private static String firstViolation(Mutant mutant, int seeds) {
        LongFunction<String> run = mutant.load(SeedRun.class);
        for (int i = 1; i <= seeds; i++) {
            long seed = i % 3 == 0 ? -i : i;
            String violation = run.apply(seed);
            if (!violation.isEmpty()) {
                return "Found by seed " + seed + ", after " + i + ": " + violation.strip();
            }
        }
        return "Not found in " + seeds + " seeds";
    }
}
