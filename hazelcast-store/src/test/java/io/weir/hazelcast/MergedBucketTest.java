package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.BucketState;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.TokenBucket;
import io.weir.algorithm.Verdict;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MergedBucketTest {

    private static final int RUNS = 20_000;
    private static final long NODES = 4;
    private static final Rule TWO = new Rule(
            1,
            new TokenBucket(List.of(
                    Bandwidth.of(10, 7, Duration.ofNanos(30)).named("burst"),
                    Bandwidth.of(40, 1, Duration.ofNanos(9)).named("more"))));
    private static final UUID NODE = new UUID(0, 1);

    private final long seed = Long.getLong("weir.seed", System.nanoTime());
    private final Random random = new Random(seed);

    MergedBucketTest() {
        System.out.println("MergedBucketTest: replay with -Dweir.seed=" + seed);
    }

    /** The whole point: whatever the two sides did, and whenever one looks. */
    @Test
    void hasNeverMoreThanEitherSide() {
        for (int run = 0; run < RUNS; run++) {
            StoredBucket one = any(TWO);
            StoredBucket other = any(TWO);
            StoredBucket merged = MergedBucket.of(one, other);
            long at = merged.state().atNanos();
            for (long t = at; t < at + 120; t += 1 + random.nextInt(20)) {
                for (StoredBucket side : List.of(one, other)) {
                    for (int i = 0; i < 2; i++) {
                        assertThat(units(merged, i, t))
                                .as(
                                        "seed %s run %s: bandwidth %s at %s of %s, merged from %s and %s",
                                        seed, run, i, t, merged, one, other)
                                .isLessThanOrEqualTo(units(side, i, t));
                    }
                    assertThat(merged.lentAt(t)).as("seed %s run %s", seed, run).isGreaterThanOrEqualTo(side.lentAt(t));
                }
            }
        }
    }

    @Test
    void isNoMoreThanTheCapacityTogetherWithWhatIsLent() {
        for (int run = 0; run < RUNS; run++) {
            StoredBucket merged = MergedBucket.of(any(TWO), any(TWO));
            long lent = merged.lentAt(merged.state().atNanos());
            for (int i = 0; i < 2; i++) {
                long capacity = TWO.algorithm().bandwidths().get(i).capacity();
                assertThat(merged.state().level(i))
                        .as("seed %s run %s: %s", seed, run, merged)
                        .isLessThanOrEqualTo(Math.max(0, capacity - lent));
            }
        }
    }

    /** It gives nothing away either: with nothing lent it is exactly the lower of the two. */
    @Test
    void isTheLowerBalanceAsOfTheSameInstant() {
        for (int run = 0; run < RUNS; run++) {
            StoredBucket one = new StoredBucket(anyState(TWO), List.of(), 0);
            StoredBucket other = new StoredBucket(anyState(TWO), List.of(), 0);
            StoredBucket merged = MergedBucket.of(one, other);
            long at = Math.max(one.state().atNanos(), other.state().atNanos());
            assertThat(merged.state().atNanos()).isEqualTo(at);
            for (int i = 0; i < 2; i++) {
                assertThat(units(merged, i, at))
                        .as("seed %s run %s", seed, run)
                        .isEqualTo(units(one, i, at).min(units(other, i, at)));
            }
        }
    }

    @Test
    void itDoesNotMatterWhichSideIsWhich() {
        for (int run = 0; run < RUNS; run++) {
            StoredBucket one = any(TWO);
            StoredBucket other = any(TWO);
            StoredBucket merged = MergedBucket.of(one, other);
            StoredBucket turned = MergedBucket.of(other, one);
            assertThat(merged.state()).as("seed %s run %s", seed, run).isEqualTo(turned.state());
            assertThat(merged.records()).containsExactlyInAnyOrderElementsOf(turned.records());
        }
    }

    @Test
    void mergingAgainChangesNothing() {
        for (int run = 0; run < RUNS; run++) {
            StoredBucket other = any(TWO);
            StoredBucket merged = MergedBucket.of(any(TWO), other);
            StoredBucket again = MergedBucket.of(merged, other);
            assertThat(again.state()).as("seed %s run %s", seed, run).isEqualTo(merged.state());
            assertThat(again.records()).isEqualTo(merged.records());
        }
    }

    /** A repeated call finds its own answer, and the one before it is refused. */
    @Test
    void remembersTheLaterCallAndTheLargerLease() {
        LeaseAnswer answer = new LeaseAnswer(0, 3, true);
        CallRecord early = new CallRecord(NODE, 10, 100, List.of(Verdict.DENIED), null, 5, 100);
        CallRecord late = new CallRecord(NODE, 12, 90, List.of(Verdict.GRANTED), answer, 3, 120);
        CallRecord merged = new CallRecord(NODE, 12, 100, List.of(Verdict.GRANTED), answer, 5, 120);

        StoredBucket bucket = MergedBucket.of(bucket(TWO, 0, 4, early), bucket(TWO, 0, 4, late));
        assertThat(bucket.records()).containsExactly(merged);
        assertThat(bucket.state().level(0)).as("4, of which 5 of 10 leave").isEqualTo(4);
        assertThat(bucket.state().level(1)).isEqualTo(4);
    }

    @Test
    void aLeaseThatHasExpiredIsNotRevivedByTheOtherSide() {
        CallRecord expired = new CallRecord(NODE, 10, 1_000, List.of(), null, 5, 40);
        CallRecord live = new CallRecord(NODE, 9, 1_000, List.of(), null, 2, 90);

        StoredBucket bucket = MergedBucket.of(bucket(TWO, 0, 0, expired), bucket(TWO, 50, 0, live));
        assertThat(bucket.lentAt(50)).isEqualTo(2);
    }

    @Test
    void keepsTheRecallMark() {
        StoredBucket recalled = new StoredBucket(BucketState.restore(TWO, 0, 1, 0, 1, 0), List.of(), 77);
        assertThat(MergedBucket.of(recalled, bucket(TWO, 9, 1)).recallUntilNanos())
                .isEqualTo(77);
        assertThat(MergedBucket.of(bucket(TWO, 9, 1), recalled).recallUntilNanos())
                .isEqualTo(77);
    }

    @Test
    void theNewerVersionOfTheLimitWins() {
        Rule newer = new Rule(2, new TokenBucket(List.of(Bandwidth.of(100, 1, Duration.ofDays(1)))));
        StoredBucket ofNewer = new StoredBucket(BucketState.restore(newer, 0, 90, 0), List.of(), 0);
        StoredBucket ofOlder = bucket(TWO, 0, 4); // of 10, and of 40: 4 of 40 is the emptiest, and 10 of 100

        for (StoredBucket merged : List.of(MergedBucket.of(ofNewer, ofOlder), MergedBucket.of(ofOlder, ofNewer))) {
            assertThat(merged.state().rule()).isEqualTo(newer);
            assertThat(merged.state().level(0)).isEqualTo(10);
        }
    }

    @Test
    void aDebtIsNotForgiven() {
        assertThat(MergedBucket.of(bucket(TWO, 0, -5), bucket(TWO, 0, 3))
                        .state()
                        .level(0))
                .isEqualTo(-5);
    }

    /** What a bucket has, in units, at an instant. */
    private static BigInteger units(StoredBucket bucket, int bandwidth, long atNanos) {
        State state = bucket.stateAt(TWO, atNanos);
        long unitsInToken = bandwidth == 0 ? 30 : 9; // 7 in 30 ns and 1 in 9 ns are reduced already
        return BigInteger.valueOf(state.level(bandwidth))
                .multiply(BigInteger.valueOf(unitsInToken))
                .add(BigInteger.valueOf(((BucketState) state).fraction(bandwidth)));
    }

    private static StoredBucket bucket(Rule rule, long atNanos, long level, CallRecord... records) {
        return new StoredBucket(BucketState.restore(rule, atNanos, level, 0, level, 0), List.of(records), 0);
    }

    private StoredBucket any(Rule rule) {
        BucketState state = anyState(rule);
        List<CallRecord> records = new ArrayList<>();
        for (long node = 0; node < NODES; node++) {
            if (random.nextBoolean()) {
                long held = random.nextInt(4);
                records.add(new CallRecord(
                        new UUID(0, node),
                        random.nextInt(1_000_000),
                        state.atNanos() + random.nextInt(60),
                        List.of(),
                        null,
                        held,
                        held == 0 ? 0 : state.atNanos() + 1 + random.nextInt(60)));
            }
        }
        return new StoredBucket(capped(state, records), records, 0);
    }

    private BucketState anyState(Rule rule) {
        return BucketState.restore(
                rule,
                1_000 + random.nextInt(50),
                random.nextInt(13) - 3L,
                random.nextInt(30),
                random.nextInt(43) - 3L,
                random.nextInt(9));
    }

    /** As every owner keeps it: no more than the capacity less what is lent. */
    private static BucketState capped(BucketState state, List<CallRecord> records) {
        long lent = records.stream().mapToLong(CallRecord::held).sum();
        return BucketState.restore(
                state.rule(),
                state.atNanos(),
                Math.min(state.level(0), Math.max(0, 10 - lent)),
                0,
                Math.min(state.level(1), Math.max(0, 40 - lent)),
                0);
    }
}
