package io.weir.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.PackedBucket;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.TokenBucket;
import io.weir.algorithm.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Holds {@link PackedBucket} to the {@link ExactBucket}: two million random decisions, each compared. */
class PackedBucketOracleTest {

    private static final int BUCKETS = 4_000;
    private static final int DECISIONS_PER_BUCKET = 500;

    @Test
    void everyDecisionEqualsTheOracle() {
        long seed = Seed.of(PackedBucketOracleTest.class);
        long granted = IntStream.range(0, BUCKETS)
                .parallel()
                .mapToLong(bucket -> granted(new SplittableRandom(seed + bucket), "-Dweir.seed=" + (seed + bucket)))
                .sum();

        // Agreement means little if all had the same verdict.
        long decisions = (long) BUCKETS * DECISIONS_PER_BUCKET;
        assertThat(granted).isBetween(decisions / 4, decisions * 3 / 4);
    }

    /** How many decisions on one bucket were grants. */
    private static long granted(SplittableRandom random, String replay) {
        long now = random.nextLong(Duration.ofDays(365).toNanos());
        PackedBucket packed = anyThatFits(random, now);
        ExactBucket oracle = ExactBucket.full(packed.rule(), now);
        long word = packed.pack(packed.rule().take(null, 0, now).state());
        long granted = 0;
        for (int i = 0; i < DECISIONS_PER_BUCKET; i++) {
            State before = packed.state(word, now);
            long next = later(random, before, packed.capacity(), now);
            now = packed.covers(next) ? Math.max(now, next) : now;
            if (random.nextInt(10) == 0) {
                long permits = magnitude(random, packed.capacity());
                word = packed.pack(packed.rule()
                        .giveBack(packed.state(word, now), permits, now)
                        .state());
                oracle.giveBack(packed.rule(), permits, now);
            } else {
                long level = Math.max(0, packed.state(word, now).level(0));
                long permits = Math.min(packed.capacity(), level + random.nextInt(2));
                permits = random.nextBoolean() && permits > 0 ? permits : magnitude(random, packed.capacity());
                long taken = packed.take(word, permits, now);
                Verdict expected = oracle.take(packed.rule(), permits, now);
                assertThat(taken == PackedBucket.NONE ? Verdict.DENIED : Verdict.GRANTED)
                        .as("%s, decision %d on %s, which was %s", replay, i, packed, before)
                        .isEqualTo(expected);
                word = taken == PackedBucket.NONE ? word : taken;
                granted += taken == PackedBucket.NONE ? 0 : 1;
            }
            State after = packed.state(word, now);
            long wanted = 1 + random.nextLong(packed.capacity());
            boolean agrees = after.level(0) == oracle.remaining(0)
                    && after.readyAtNanos(0, wanted) == oracle.readyAtNanos(0, wanted)
                    && after.fullAtNanos() == oracle.readyAtNanos(0, packed.capacity());
            assertThat(agrees)
                    .as("%s, decision %d made %s of %s", replay, i, after, before)
                    .isTrue();
        }
        return granted;
    }

    private static PackedBucket anyThatFits(SplittableRandom random, long now) {
        while (true) {
            Bandwidth bandwidth = Bandwidth.of(
                    magnitude(random, random.nextBoolean() ? 100 : 1L << 50),
                    magnitude(random, 1_000_000_000),
                    random.nextBoolean() ? Duration.ofSeconds(1) : Duration.ofNanos(magnitude(random, Long.MAX_VALUE)));
            Rule rule = new Rule(1, new TokenBucket(List.of(bandwidth)));
            PackedBucket packed = PackedBucket.of(rule, 0, now).orElse(null);
            if (packed != null) {
                return packed;
            }
        }
    }

    /** Often just when something becomes ready, or a nanosecond off (I3). */
    private static long later(SplittableRandom random, State state, long capacity, long now) {
        return switch (random.nextInt(8)) {
            case 0 -> now;
            case 1, 2, 3 -> state.readyAtNanos(0, 1 + random.nextLong(capacity)) + random.nextInt(-1, 2);
            case 4 -> state.fullAtNanos() + random.nextInt(-1, 2);
            default -> now + magnitude(random, Duration.ofDays(30).toNanos());
        };
    }

    /** From 1 to {@code most}, every order of magnitude as likely as the others. */
    private static long magnitude(SplittableRandom random, long most) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(most);
        return Math.min(most, (random.nextLong() >>> (Long.SIZE - random.nextInt(1, bits + 1))) | 1);
    }
}
