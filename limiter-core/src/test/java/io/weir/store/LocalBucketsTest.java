package io.weir.store;

import static io.weir.algorithm.Verdict.GRANTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.BatchTransition;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A bucket may be kept in one form or another, and pass from one to the other: nobody can tell. */
class LocalBucketsTest {

    private static final long ANY_DEADLINE = 1;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration DAY = Duration.ofDays(1);

    private final AtomicLong nowNanos = new AtomicLong();
    private final LocalStore store = LocalStore.create(nowNanos::get, 1_000_000);

    @AfterEach
    void close() {
        store.close();
    }

    private static Rule rule(long version, Bandwidth... bandwidths) {
        return new Rule(version, new TokenBucket(List.of(bandwidths)));
    }

    private Answer only(Buckets buckets, String key, Request request) {
        return buckets.decide(key, List.of(request), ANY_DEADLINE).join().get(0);
    }

    /** Rules that fit a word and rules that do not, one after the other, on a clock that leaps and steps back. */
    @Test
    void decidesLikeTheRuleAloneWhateverFormABucketIsKeptIn() {
        long seed = Long.getLong("weir.seed", System.nanoTime());
        System.out.println("LocalBucketsTest: replay with -Dweir.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 300; i++) {
            walk(random, "limit-" + i);
        }
    }

    private void walk(SplittableRandom random, String limit) {
        Rule rule = anyRule(random, 1);
        Buckets buckets = store.buckets(limit, rule);
        State state = null;
        int key = 0;
        for (int i = 0; i < 1_000; i++) {
            long now = nowNanos.get();
            if (state != null && rule.advance(state, 0, now).fullAtNanos() <= now) {
                key++; // what is full may be forgotten, or not yet
                state = null;
            }
            switch (random.nextInt(12)) {
                case 0 -> {
                    rule = anyRule(random, rule.version() + random.nextInt(2));
                    buckets.change(rule);
                }
                case 1, 2, 3 -> nowNanos.addAndGet(anyStep(random));
                case 4 -> state = compare(buckets, rule, state, "key" + key, List.of(new Request.GiveBack(2)));
                case 5 ->
                    state = compare(
                            buckets,
                            rule,
                            state,
                            "key" + key,
                            List.of(new Request.Take(3), new Request.GiveBack(1), new Request.Take(0)));
                default -> {
                    long permits =
                            random.nextLong(rule.algorithm().bandwidths().get(0).capacity() / 2 + 2);
                    state = compare(buckets, rule, state, "key" + key, List.of(new Request.Take(permits)));
                }
            }
        }
    }

    /** Asks both, and returns what there is afterwards. */
    private @Nullable State compare(
            Buckets buckets, Rule rule, @Nullable State state, String key, List<Request> requests) {
        long now = nowNanos.get();
        BatchTransition expected = rule.decide(state, requests, now);
        List<Answer> answers = requests.get(0) instanceof Request.Take take && requests.size() == 1
                ? List.of(buckets.take(key, take.permits(), ANY_DEADLINE))
                : buckets.decide(key, requests, ANY_DEADLINE).join();

        assertThat(answers).extracting(Answer::verdict).isEqualTo(expected.verdicts());
        assertThat(answers).extracting(Answer::nowNanos).containsOnly(now);
        assertThat(answers.get(0).state()).isEqualTo(expected.state());
        return expected.changed() ? expected.state() : state;
    }

    /** Words of the steepest of these rules are good for some minutes only. */
    private static Rule anyRule(SplittableRandom random, long version) {
        long capacity = random.nextLong(1, 1_000);
        return switch (random.nextInt(6)) {
            case 0 -> rule(version, Bandwidth.of(capacity, 999_983, DAY));
            case 1 -> rule(version, Bandwidth.of(capacity, 1, DAY));
            case 2 -> rule(version, Bandwidth.of(1L << 40, 7, DAY));
            case 3 -> rule(version, Bandwidth.of(capacity, capacity, DAY).named("other"));
            case 4 ->
                rule(
                        version,
                        Bandwidth.of(capacity, 3, SECOND),
                        Bandwidth.of(2 * capacity, 1, DAY).named("daily"));
            default -> rule(version, Bandwidth.of(capacity, random.nextLong(1, capacity + 1), SECOND));
        };
    }

    private static long anyStep(SplittableRandom random) {
        long tolerance = Algorithm.STEP_BACK_TOLERANCE_NANOS;
        return switch (random.nextInt(8)) {
            case 0 -> -random.nextLong(1L << random.nextInt(1, 34));
            case 1 -> -tolerance + random.nextLong(-1, 2);
            case 2 -> -random.nextLong(DAY.toNanos());
            case 3 -> random.nextLong(DAY.toNanos());
            default -> random.nextLong(1L << random.nextInt(1, 34));
        };
    }

    /** A word of this rule is good for less than five minutes, and its bucket is busy for an hour. */
    @Test
    void decidesLikeTheRuleAloneForLongerThanAWordIsGoodFor() {
        Rule rule = rule(1, Bandwidth.of(1_000, 999_983, DAY));
        Buckets buckets = store.buckets("limit", rule);
        State state = compare(buckets, rule, null, "key", List.of(new Request.Take(700)));
        for (int second = 0; second < 3_600; second++) {
            nowNanos.addAndGet(SECOND.toNanos());
            state = compare(buckets, rule, state, "key", List.of(new Request.Take(second % 2 == 0 ? 11 : 12)));
        }
    }

    @Test
    void keepsABalanceFromOneFormToTheOther() {
        Buckets buckets = store.buckets("limit", rule(1, Bandwidth.of(100, 1, DAY)));
        assertThat(buckets.take("key", 60, ANY_DEADLINE).verdict()).isEqualTo(GRANTED);

        buckets.change(rule(2, Bandwidth.of(10L << 40, 1, DAY))); // fits no word
        assertThat(buckets.take("key", 0, ANY_DEADLINE).state().level(0)).isEqualTo(4L << 40);
        assertThat(buckets.take("key", 1L << 40, ANY_DEADLINE).state().level(0)).isEqualTo(3L << 40);

        buckets.change(rule(3, Bandwidth.of(100, 1, DAY)));
        assertThat(buckets.take("key", 5, ANY_DEADLINE).state().level(0)).isEqualTo(25);
        assertThat(only(buckets, "key", new Request.GiveBack(4)).state().level(0))
                .isEqualTo(29);
    }

    /** A flood of clients that never come back costs memory until their buckets would be full, and none from then on. */
    @Test
    void leavesNothingBehindOfManyKeysOnceTheyAreFull() {
        LocalBuckets buckets = (LocalBuckets) store.buckets("limit", rule(1, Bandwidth.of(100, 10, SECOND)));
        List<String> refused = new ArrayList<>();
        for (int i = 0; i < 200_000; i++) {
            String key = "client-" + i;
            if (buckets.take(key, 1 + i % 10, ANY_DEADLINE).verdict() != GRANTED) {
                refused.add(key);
            }
        }
        assertThat(refused).isEmpty();
        assertThat(buckets.size()).isEqualTo(200_000);

        nowNanos.addAndGet(SECOND.toNanos() / 2);
        store.sweep();
        assertThat(buckets.size()).isEqualTo(100_000);

        nowNanos.addAndGet(SECOND.toNanos() / 2);
        store.sweep();
        assertThat(buckets.size()).isZero();
    }

    /** Of the same numbers, so that each permit can be accounted for; in a word, hot, and as a state. */
    @Test
    void nothingIsMintedOrLostWhileAKeysRuleComesAndGoes() throws InterruptedException {
        long capacity = 500_000;
        Bandwidth numbers = Bandwidth.of(capacity, 1, DAY);
        Buckets buckets = store.buckets("of-one-key", rule(1, numbers));
        AtomicLong granted = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread thread = new Thread(() -> {
                long mine = 0;
                while (buckets.take("key", 1, ANY_DEADLINE).verdict() == GRANTED) {
                    mine++;
                }
                granted.addAndGet(mine);
            });
            threads.add(thread);
            thread.start();
        }
        long version = 1;
        while (threads.stream().anyMatch(Thread::isAlive)) {
            buckets.override("key", rule(++version * 1_000, numbers));
            Thread.onSpinWait();
            buckets.override("key", null);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(version).isGreaterThan(10);
        assertThat(granted).hasValue(capacity);
    }
}
