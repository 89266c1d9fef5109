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
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Random steps from random nodes on one bucket, each compared to an oracle that decides in another way, in numbers of any size: takes,
 * peeks, give-backs, charges, one by one or many in one call, changed rules with bandwidths of other numbers and other names, and a clock
 * that runs ahead and steps back. Not thread-safe.
 *
 * <p>A bucket that is full again may be forgotten by its store, or not yet. Both are right, but differ in what is
 * remembered of instant and rule; the walk therefore goes on with a new key. Refill is slow, so that a store whose
 * entries expire in real time does not lose one while the walk goes on.
 */
public final class OracleWalk {

    private static final long OLDEST = 1;

    /** The most requests in one call. */
    private static final int MOST_AT_ONCE = 64;

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
    private final Map<Verdict, Long> verdicts = new EnumMap<>(Verdict.class);

    /** What the present key must be answered; null while nothing is stored for it. */
    private @Nullable Oracle oracle;

    /**
     * A walk on a limit of its own.
     *
     * @param random whose seed replays the walk
     * @param clock that the stores decide by
     * @param stores a node each; the same one twice is one node
     * @param kind the algorithm, which no change of the rule changes
     */
    public OracleWalk(SplittableRandom random, ManualClock clock, List<Store> stores, Algorithm.Kind kind) {
        this.kind = kind;
        this.random = random;
        this.clock = clock;
        this.stores = stores;
        Rule first = anyRule(++newestVersion);
        stores.forEach(store -> rules.put(store, first));
        this.limit = new SharedLimit(stores, first);
    }

    /**
     * Goes on from wherever it is.
     *
     * @throws AssertionError at the first answer that is not the oracle's
     */
    public void walk(int steps) {
        walk(steps, stores.size());
    }

    /**
     * The same on some of the nodes.
     *
     * @param nodes how many of the first
     * @throws AssertionError at the first answer that is not the oracle's
     */
    public void walk(int steps, int nodes) {
        for (int i = 0; i < steps; i++) {
            int node = random.nextInt(nodes);
            switch (random.nextInt(8)) {
                case 0 -> decide(node, List.of(move()));
                case 1 -> change(node);
                case 2, 3 -> clock.move(Duration.ofNanos(random.nextBoolean() ? ahead() : -back()));
                default -> decide(node, requests(node));
            }
            if (oracle != null && full(oracle)) {
                onToAnotherKey();
            }
        }
    }

    /** Asks for nothing, and compares what there is. */
    public void look(int node) {
        decide(node, List.of(new Request.Take(0)));
    }

    /** Leaves the bucket that the walk is on: after a long time, when a store whose entries expire in real time may have lost it. */
    public void onToAnotherKey() {
        oracle = null;
        keys++;
    }

    /** The name of the limit that the bucket is under. */
    public String limit() {
        return limit.name();
    }

    /** The key of the bucket that the next step asks for. */
    public String key() {
        return "key-" + keys;
    }

    /** Whether the stores must remember the bucket: it is not full. */
    public boolean isOnABucket() {
        return oracle != null && !full(oracle);
    }

    /** How many requests were answered in some way so far. */
    public long decided(Verdict verdict) {
        return verdicts.getOrDefault(verdict, 0L);
    }

    private List<Request> requests(int node) {
        if (random.nextBoolean()) {
            return List.of(take(node));
        }
        List<Request> requests = new ArrayList<>();
        for (int i = random.nextInt(MOST_AT_ONCE); i >= 0; i--) {
            requests.add(random.nextInt(3) == 0 ? move() : take(node));
        }
        return requests;
    }

    private Request take(int node) {
        long capacity = rule(node).algorithm().bandwidths().get(0).capacity();
        return new Request.Take(random.nextLong(random.nextInt(8) == 0 ? capacity + 2 : capacity / 4 + 2));
    }

    /** A give-back, or a charge: often of more than there is. */
    private Request move() {
        return random.nextInt(3) == 0
                ? new Request.Charge(random.nextLong(1, 40))
                : new Request.GiveBack(random.nextLong(1, 8));
    }

    private void decide(int node, List<Request> requests) {
        Rule rule = rule(node);
        Oracle bucket = oracle == null ? Oracle.full(rule, clock.nanoTime()) : oracle;
        List<Verdict> expected = new ArrayList<>(requests.size());
        for (Request request : requests) {
            Verdict verdict = decide(bucket, rule, request);
            expected.add(verdict);
            verdicts.merge(verdict, 1L, Long::sum);
        }

        Request first = requests.get(0);
        List<Answer> answers = requests.size() == 1 && first instanceof Request.Take
                ? List.of(limit.node(node).take(key(), first.permits(), SharedLimit.DEADLINE_NANOS))
                : limit.node(node)
                        .decide(key(), requests, SharedLimit.DEADLINE_NANOS)
                        .join();

        assertThat(answers).extracting(Answer::verdict).isEqualTo(expected);
        assertSame(answers.get(0), bucket);
    }

    private Verdict decide(Oracle bucket, Rule rule, Request request) {
        long now = clock.nanoTime();
        if (request instanceof Request.GiveBack) {
            return bucket.giveBack(rule, request.permits(), now);
        }
        if (request instanceof Request.Charge) {
            oracle = bucket;
            return bucket.charge(rule, request.permits(), now);
        }
        Verdict verdict = bucket.take(rule, request.permits(), now);
        if (verdict == Verdict.GRANTED && request.permits() > 0) {
            oracle = bucket;
        }
        return verdict;
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
