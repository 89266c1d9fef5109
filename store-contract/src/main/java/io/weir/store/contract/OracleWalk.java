package io.weir.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Random steps from random nodes on one bucket, each compared to an {@link Oracle}: takes, peeks, give-backs,
 * charges, changed rules with bandwidths of other numbers and other names, and a clock that runs ahead and steps back.
 *
 * <p>A bucket that is full again may be forgotten by its store, or not yet. Both are right, but differ in what is
 * remembered of instant and rule; the walk therefore goes on with a new key. Refill is slow, so that a store whose
 * entries expire in real time does not lose one while the walk goes on.
 */
final class OracleWalk {

    private static final long OLDEST = 1;

    /** So that a change adds, drops, renames or reorders bandwidths, or leaves them as they are. */
    private static final List<List<String>> NAMES =
            List.of(List.of("one"), List.of("one", "two"), List.of("three"), List.of("three", "two", "one"));

    private final List<Store> stores;
    private final SharedLimit limit;

    /** What each node asks under. The same store twice is one node. */
    private final IdentityHashMap<Store, Rule> rules = new IdentityHashMap<>();

    private final ManualClock clock;
    private final SplittableRandom random;
    private final Algorithm.Kind kind;
    private long newestVersion = OLDEST;
    private int keys;

    /** What the present key must be answered; null while nothing is stored for it. */
    private @Nullable Oracle oracle;

    OracleWalk(SplittableRandom random, ManualClock clock, List<Store> stores, Algorithm.Kind kind) {
        this.kind = kind;
        this.random = random;
        this.clock = clock;
        this.stores = stores;
        Rule first = anyRule(++newestVersion);
        stores.forEach(store -> rules.put(store, first));
        this.limit = new SharedLimit(stores, first);
    }

    void walk(int steps) {
        for (int i = 0; i < steps; i++) {
            int node = random.nextInt(stores.size());
            switch (random.nextInt(8)) {
                case 0 -> move(node);
                case 1 -> change(node);
                case 2, 3 -> clock.move(Duration.ofNanos(random.nextBoolean() ? ahead() : -back()));
                default -> take(node);
            }
            if (oracle != null && full(oracle)) {
                oracle = null;
                keys++;
            }
        }
    }

    private void take(int node) {
        Rule rule = rule(node);
        long capacity = rule.algorithm().bandwidths().get(0).capacity();
        long permits = random.nextLong(random.nextInt(8) == 0 ? capacity + 2 : capacity / 4 + 2);
        Oracle bucket = oracle == null ? Oracle.full(rule, clock.nanoTime()) : oracle;
        Verdict expected = bucket.take(rule, permits, clock.nanoTime());
        if (expected == Verdict.GRANTED && permits > 0) {
            oracle = bucket;
        }

        Answer answer = limit.node(node).take(key(), permits, SharedLimit.DEADLINE_NANOS);

        assertThat(answer.verdict()).isEqualTo(expected);
        assertSame(answer, bucket);
    }

    /** A give-back, or a charge: often of more than there is. */
    private void move(int node) {
        Rule rule = rule(node);
        Oracle bucket = oracle == null ? Oracle.full(rule, clock.nanoTime()) : oracle;
        boolean charge = random.nextInt(3) == 0;
        long permits = random.nextLong(1, charge ? 40 : 8);
        if (charge) {
            bucket.charge(rule, permits, clock.nanoTime());
            oracle = bucket;
        } else {
            bucket.giveBack(rule, permits, clock.nanoTime());
        }

        Request request = charge ? new Request.Charge(permits) : new Request.GiveBack(permits);
        Answer answer = limit.node(node)
                .decide(key(), List.of(request), SharedLimit.DEADLINE_NANOS)
                .join()
                .get(0);

        assertThat(answer.verdict()).isEqualTo(Verdict.GRANTED);
        assertSame(answer, bucket);
    }

    /** Newer; or other numbers under the same version; or older than what other nodes ask under, but never here. */
    private void change(int node) {
        long present = rule(node).version();
        Rule changed = anyRule(
                switch (random.nextInt(3)) {
                    case 0 -> present;
                    case 1 -> random.nextLong(present, newestVersion + 1);
                    default -> ++newestVersion;
                });
        limit.node(node).change(changed);
        rules.put(stores.get(node), changed);
    }

    private void assertSame(Answer answer, Oracle bucket) {
        assertThat(answer.nowNanos()).isEqualTo(clock.nanoTime());
        assertThat(answer.state().atNanos()).isEqualTo(bucket.atNanos());
        assertThat(answer.state().rule()).isEqualTo(bucket.rule());
        List<Bandwidth> bandwidths = bucket.rule().algorithm().bandwidths();
        for (int i = 0; i < bandwidths.size(); i++) {
            long capacity = bandwidths.get(i).capacity();
            assertThat(answer.state().level(i)).isEqualTo(bucket.remaining(i));
            assertThat(answer.state().readyAtNanos(i, capacity)).isEqualTo(bucket.readyAtNanos(i, capacity));
        }
    }

    private boolean full(Oracle bucket) {
        // Whoever asks under something older than any rule of the walk sees a bucket as it is stored.
        bucket.take(new Rule(OLDEST, bucket.rule().algorithm()), 0, clock.nanoTime());
        List<Bandwidth> bandwidths = bucket.rule().algorithm().bandwidths();
        for (int i = 0; i < bandwidths.size(); i++) {
            if (bucket.readyAtNanos(i, bandwidths.get(i).capacity()) > clock.nanoTime()) {
                return false;
            }
        }
        return true;
    }

    private String key() {
        return "key-" + keys;
    }

    /** From a nanosecond to a minute, small steps as likely as large ones. */
    private long ahead() {
        return random.nextLong(1L << random.nextInt(37));
    }

    /** A little disorder, or another clock, or the very edge between them (I2). */
    private long back() {
        long tolerance = Algorithm.STEP_BACK_TOLERANCE_NANOS;
        return switch (random.nextInt(4)) {
            case 0 -> random.nextLong(tolerance - 1, tolerance + 2);
            case 1 -> random.nextLong(tolerance, Duration.ofDays(1).toNanos());
            default -> random.nextLong(1L << random.nextInt(34));
        };
    }

    private Rule rule(int node) {
        return Objects.requireNonNull(rules.get(stores.get(node)));
    }

    private Rule anyRule(long version) {
        List<Bandwidth> bandwidths = new ArrayList<>();
        for (String name : NAMES.get(random.nextInt(NAMES.size()))) {
            long capacity = random.nextLong(1, 60);
            bandwidths.add(
                    kind.countsPerWindow()
                            ? Bandwidth.perWindow(capacity, Duration.ofMinutes(random.nextLong(1, 4)))
                                    .named(name)
                            : new Bandwidth(name, capacity, random.nextLong(1, capacity + 1), anyPeriod()));
        }
        return new Rule(version, kind.with(bandwidths));
    }

    private Duration anyPeriod() {
        return Duration.ofNanos(random.nextLong(
                Duration.ofMinutes(1).toNanos(), Duration.ofMinutes(10).toNanos()));
    }
}
