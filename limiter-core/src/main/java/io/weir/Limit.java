package io.weir;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.BucketState;
import io.weir.algorithm.CarryOver;
import io.weir.algorithm.Penalty;
import io.weir.algorithm.Rule;
import io.weir.store.Directive;
import io.weir.store.Directives;
import io.weir.store.Leasing;
import io.weir.store.StoredKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A named rule: how much, how fast, how long to wait for the answer, and what happens when there is none.
 *
 * <pre>{@code
 * Limit perClient = Limit.named("per-client", FailurePolicy.LOCAL_SHARE)
 *         .bandwidth(Bandwidth.of(100, 50, Duration.ofSeconds(1)))
 *         .build();
 * }</pre>
 *
 * <p>Immutable; two limits are equal if all they say is equal.
 */
public final class Limit {

    /** How long a decision may take, where a limit does not say: 50 ms. */
    public static final Duration DEFAULT_DEADLINE = Duration.ofMillis(50);

    /** The longest deadline: 1 hour. */
    public static final Duration MAX_DEADLINE = Duration.ofHours(1);

    /** Its strikes are counted under its name and a suffix, which has to be a name as well. */
    private static final int MOST_WITH_STRIKES = 64 - Strikes.SUFFIX.length();

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private final String name;
    private final FailurePolicy failurePolicy;
    private final Rule rule;
    private final Duration deadline;
    private final long deadlineNanos;
    private final long smallestCapacity;
    private final Leasing leasing;
    private final boolean shadow;
    private final @Nullable String shadowOf;
    private final long debt;
    private final @Nullable Penalty penalty;

    /** How keys count that have numbers of their own, by {@link StoredKey#wellFormed}. */
    private final Map<String, Algorithm> overrides;

    private Limit(Builder builder) {
        this.name = builder.name;
        this.failurePolicy = builder.failurePolicy;
        this.rule = new Rule(
                builder.version,
                builder.algorithm.with(builder.bandwidths),
                builder.strictPartitions,
                builder.carryOver);
        this.deadline = builder.deadline;
        this.deadlineNanos = builder.deadline.toNanos();
        this.leasing = rule.algorithm().lends() ? builder.leasing : Leasing.NEVER;
        this.shadow = builder.shadow;
        this.shadowOf = builder.shadowOf;
        this.debt = builder.debt;
        this.penalty = builder.penalty;
        this.overrides = builder.algorithmsOfKeys();
        this.smallestCapacity = rule.algorithm().smallestCapacity();
    }

    private Limit(Limit like, Rule rule, Map<String, Algorithm> overrides) {
        this.name = like.name;
        this.failurePolicy = like.failurePolicy;
        this.rule = rule;
        this.deadline = like.deadline;
        this.deadlineNanos = like.deadlineNanos;
        this.leasing = like.leasing;
        this.shadow = like.shadow;
        this.shadowOf = like.shadowOf;
        this.debt = like.debt;
        this.penalty = like.penalty;
        this.overrides = overrides;
        this.smallestCapacity = rule.algorithm().smallestCapacity();
    }

    /**
     * A limit as another node has defined it.
     *
     * @throws IllegalArgumentException if this version of Weir does not know such limits
     */
    static Limit of(String name, Directive.Definition definition) {
        FailurePolicy policy;
        try {
            policy = FailurePolicy.valueOf(definition.failurePolicy());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "this version of Weir does not know the failure policy " + definition.failurePolicy(), e);
        }
        Builder builder = named(name, policy)
                .deadline(Duration.ofNanos(definition.deadlineNanos()))
                .algorithm(definition.rule().algorithm().kind())
                .debt(definition.debt());
        definition.rule().algorithm().bandwidths().forEach(builder::bandwidth);
        if (definition.exact()) {
            builder.exact();
        }
        if (definition.shadow()) {
            builder.shadow();
        }
        if (definition.shadowOf() != null) {
            builder.shadowOf(definition.shadowOf());
        }
        if (definition.penalty() != null) {
            builder.penalty(definition.penalty());
        }
        return builder.build().under(definition.rule());
    }

    /** What {@link #of} makes this limit of: all of it but its overrides, which each node has by itself. */
    Directive.Definition definition() {
        return new Directive.Definition(
                rule, failurePolicy.name(), deadlineNanos, isExact(), debt, shadow, shadowOf, penalty);
    }

    /**
     * The same limit with other numbers, for {@link Weir#change} and {@link Administration#change}: all that it says besides stays, overrides
     * included.
     *
     * @param version of the numbers, 1 or more
     * @param bandwidths at least one, as for {@link Builder#bandwidth}
     * @throws IllegalArgumentException if the version is less than 1, or too high for its overrides, or the algorithm cannot count by these
     *     numbers
     */
    public Limit withBandwidths(long version, List<Bandwidth> bandwidths) {
        Algorithm counting = rule.algorithm().kind().with(bandwidths);
        return under(new Rule(version, counting, rule.strictPartitions(), rule.carryOver()))
                .withOverridesOf(this);
    }

    /** The same limit under another rule. */
    Limit under(Rule other) {
        return new Limit(this, other, overrides);
    }

    /**
     * The same limit with the overrides of another, counted by this one's algorithm.
     *
     * @throws IllegalArgumentException if there are some, and this limit's version is too high for them, or its algorithm cannot count by
     *     one of them
     */
    Limit withOverridesOf(Limit other) {
        if (other.overrides.isEmpty()) {
            return new Limit(this, rule, Map.of());
        }
        KeyVersion.of(name, 0, rule.version()); // refuses what cannot be one
        Map<String, Algorithm> counted = new HashMap<>();
        other.overrides.forEach((key, numbers) -> counted.put(key, counted(numbers)));
        return new Limit(this, rule, Map.copyOf(counted));
    }

    /**
     * The numbers of a key, counted by this limit's algorithm.
     *
     * @throws IllegalArgumentException naming the limit, if that cannot count by them
     */
    Algorithm counted(Algorithm numbers) {
        Algorithm.Kind kind = rule.algorithm().kind();
        if (numbers.kind() == kind) {
            return numbers;
        }
        try {
            return kind.with(numbers.bandwidths());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "limit \"" + name + "\" counts by " + kind
                            + ", and a key has numbers of its own that this cannot count: " + e.getMessage(),
                    e);
        }
    }

    /**
     * Begins a limit.
     *
     * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}: it appears in metrics, headers and logs
     * @param failurePolicy what answers when the owner has not by the deadline
     * @throws IllegalArgumentException if the name is not one
     */
    public static Builder named(String name, FailurePolicy failurePolicy) {
        return new Builder(name, failurePolicy);
    }

    /** What the limit is called. */
    public String name() {
        return name;
    }

    /** What answers when the owner has not by the deadline. */
    public FailurePolicy failurePolicy() {
        return failurePolicy;
    }

    /** How it counts, and with which numbers. */
    public Rule rule() {
        return rule;
    }

    /** How long a decision may take before the failure policy answers. */
    public Duration deadline() {
        return deadline;
    }

    /**
     * Whether every grant is decided by the bucket itself, rather than from a lease where that is quicker: by {@link
     * Builder#exact}, and always unless the limit is a token bucket.
     */
    public boolean isExact() {
        return leasing == Leasing.NEVER;
    }

    /**
     * How far below zero {@link Decision#settle} may bring a balance, in permits; see {@link Builder#debt}.
     *
     * @return zero unless debt is allowed
     */
    public long debt() {
        return debt;
    }

    /** Whether a cluster that misses members counts with its part of the limit; see {@link Builder#strictPartitions}. */
    public boolean isStrictPartitions() {
        return rule.strictPartitions();
    }

    /** Whether it only reports what it would decide; see {@link Builder#shadow}. */
    public boolean isShadow() {
        return shadow;
    }

    /** The name of the limit beside which it is asked; empty if it is asked by itself. See {@link Builder#shadowOf}. */
    public Optional<String> shadowOf() {
        return Optional.ofNullable(shadowOf);
    }

    /** What becomes of keys that are denied again and again; empty if nothing does. See {@link Builder#penalty}. */
    public Optional<Penalty> penalty() {
        return Optional.ofNullable(penalty);
    }

    /** What {@link #isExact()} means to a store. */
    Leasing leasing() {
        return leasing;
    }

    /** The most permits that one request can ever be granted. */
    long smallestCapacity() {
        return smallestCapacity;
    }

    /**
     * The least capacity that a key can have by this definition: that of the limit, or of one of its {@linkplain Builder#override
     * overrides}. A request for more would never be granted to that key. What was said of keys at run time is not in it.
     *
     * @return permits, 1 or more
     */
    public long leastCapacity() {
        return overrides.values().stream()
                .mapToLong(Algorithm::smallestCapacity)
                .reduce(smallestCapacity, Math::min);
    }

    /** {@link #deadline()} in nanoseconds: every decision needs it, and none should work it out. */
    long deadlineNanos() {
        return deadlineNanos;
    }

    /** The bandwidths that are decided together, in the order in which they were declared. */
    public List<Bandwidth> bandwidths() {
        return rule.algorithm().bandwidths();
    }

    /**
     * The numbers that this definition gives one key instead of the limit's; see {@link Builder#override}. What was said of the key at
     * run time is not among them.
     *
     * @return empty if it gives the key none
     */
    public Optional<List<Bandwidth>> overrideOf(String key) {
        return Optional.ofNullable(overrides.get(StoredKey.wellFormed(key))).map(Algorithm::bandwidths);
    }

    /** How keys count that have numbers of their own, by {@link StoredKey#wellFormed}; unmodifiable. */
    Map<String, Algorithm> overrides() {
        return overrides;
    }

    @Override
    public boolean equals(Object other) {
        return other == this
                || (other instanceof Limit that
                        && name.equals(that.name)
                        && failurePolicy == that.failurePolicy
                        && rule.equals(that.rule)
                        && leasing == that.leasing
                        && shadow == that.shadow
                        && Objects.equals(shadowOf, that.shadowOf)
                        && debt == that.debt
                        && Objects.equals(penalty, that.penalty)
                        && overrides.equals(that.overrides)
                        && deadline.equals(that.deadline));
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, failurePolicy, rule, leasing, debt, deadline, shadow, shadowOf, penalty, overrides);
    }

    @Override
    public String toString() {
        return "Limit[" + name + ", " + failurePolicy + ", " + rule + ", deadline " + deadline
                + (isExact() ? ", exact" : "") + (debt > 0 ? ", debt up to " + debt : "")
                + (penalty == null ? "" : ", " + penalty)
                + (overrides.isEmpty() ? "" : ", overrides: " + overrides.size())
                + (isShadow() ? ", shadow" : "") + (shadowOf == null ? "" : " of " + shadowOf)
                + (isStrictPartitions() ? ", strict partitions]" : "]");
    }

    /** Collects what a {@link Limit} says. Not thread-safe. */
    public static final class Builder {
        private final String name;
        private final FailurePolicy failurePolicy;
        private final List<Bandwidth> bandwidths = new ArrayList<>();
        private Duration deadline = DEFAULT_DEADLINE;
        private long version = 1;
        private Leasing leasing = Leasing.AUTOMATIC;
        private boolean strictPartitions;
        private long debt;
        private Algorithm.Kind algorithm = Algorithm.Kind.TOKEN_BUCKET;
        private CarryOver carryOver = CarryOver.PROPORTION;
        private boolean shadow;
        private @Nullable String shadowOf;
        private @Nullable Penalty penalty;
        private final Map<String, List<Bandwidth>> overrides = new LinkedHashMap<>();

        private Builder(String name, FailurePolicy failurePolicy) {
            Objects.requireNonNull(name, "name of a limit");
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException("limit name must be 1 to 64 of A-Z a-z 0-9 . _ - but is \""
                        + name.substring(0, Math.min(64, name.length())).replaceAll("[^ -~]", "?") + "\"");
            }
            this.name = name;
            this.failurePolicy = Objects.requireNonNull(
                    failurePolicy, "limit \"" + name + "\" needs a failurePolicy: DENY, GRANT or LOCAL_SHARE");
        }

        /**
         * Adds a bandwidth. All of a limit's bandwidths are decided together: a request is granted by all of them, or
         * charged to none.
         */
        public Builder bandwidth(Bandwidth bandwidth) {
            bandwidths.add(Objects.requireNonNull(bandwidth, "bandwidth"));
            return this;
        }

        /**
         * How the limit counts; {@link Algorithm.Kind#TOKEN_BUCKET} if not called. Those that count per window need bandwidths
         * of {@link Bandwidth#perWindow}. Only token buckets are leased: with the others, each grant is decided by the bucket
         * itself, as with {@link #exact}.
         */
        public Builder algorithm(Algorithm.Kind value) {
            this.algorithm = Objects.requireNonNull(value, "algorithm");
            return this;
        }

        /**
         * What becomes of balances when these numbers take the place of others; {@link CarryOver#PROPORTION} if not called.
         * {@link CarryOver#RESET} needs a raised {@link #version}.
         */
        public Builder carryOver(CarryOver value) {
            this.carryOver = Objects.requireNonNull(value, "carryOver");
            return this;
        }

        /**
         * How long a decision may take before the failure policy answers; {@link Limit#DEFAULT_DEADLINE} if not called.
         *
         * @param value more than zero, at most {@link Limit#MAX_DEADLINE}
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder deadline(Duration value) {
            Objects.requireNonNull(value, "deadline");
            if (value.isNegative() || value.isZero() || value.compareTo(MAX_DEADLINE) > 0) {
                throw new IllegalArgumentException("deadline of limit \"" + name
                        + "\" must be more than zero and at most " + MAX_DEADLINE + " but is " + value);
            }
            this.deadline = value;
            return this;
        }

        /**
         * Has every grant decided by the bucket itself, however often its key is asked for. Otherwise a node that asks for
         * a key often takes permits ahead and grants from those: no less exact in what is granted altogether, and far
         * cheaper, but for a moment one node can be out of permits while another still holds some. A denial is remembered
         * for as long as it holds, and a second at most, either way.
         */
        public Builder exact() {
            this.leasing = Leasing.NEVER;
            return this;
        }

        /**
         * Counts with {@code reachable / N} of capacity and refill while {@code m = N - reachable} of the {@code N} data
         * members are missing that did not say goodbye, until they are back or 5 minutes have passed. Together with {@link
         * FailurePolicy#LOCAL_SHARE} on the side that was cut off, a split then grants at most {@code B + R*t} in any span
         * {@code t} where {@code B >= N}, and at most {@code m} more where {@code B < N}, instead of {@code B + R*t*(1 +
         * m/N) + m*max(1, B/N)}. What it costs is {@code m/N} of the limit: also when the missing members are not cut off
         * but dead. Has no effect in a store of one JVM.
         *
         * <p>A balance keeps its part while members are missing, and rises by refill alone when they are back, or when the
         * numbers of the limit change. A request for more than the part of the capacity is denied for as long.
         */
        public Builder strictPartitions() {
            this.strictPartitions = true;
            return this;
        }

        /**
         * Makes the limit a shadow: it decides and counts as it would, and reports that in its own metrics and in {@link
         * Decision#wouldDeny}, but every {@link Decision} of it is granted, {@link Limiter#acquire} never waits for permits, and
         * nothing is written to an answer over HTTP. So the numbers of a limit can be tried on real requests before they are
         * enforced.
         */
        public Builder shadow() {
            this.shadow = true;
            return this;
        }

        /**
         * Makes the limit a {@linkplain #shadow shadow} beside another: whenever that is asked for permits, so is this one, for
         * the same key and as many, without anybody waiting for its answer. No calling code changes, and its metrics stand beside
         * those of the other.
         *
         * <p>Permits that are given back to the other are not given back here. At most 1,000 requests are on their way at once on a
         * node; those beyond, and those that fail, are counted as missed.
         *
         * @param limit the name of a limit of the same {@link Weir} that is no shadow
         */
        public Builder shadowOf(String limit) {
            this.shadow = true;
            this.shadowOf = Objects.requireNonNull(limit, "limit");
            return this;
        }

        /**
         * How far below zero {@link Decision#settle} may bring a balance, when more was used than was granted; zero if not called.
         * Until a debt has been refilled nothing is granted. So in any span {@code t} at most {@code B + R*t} and the debt are
         * used. Only a token bucket knows debt.
         *
         * @param mostPermits zero to 2<sup>62</sup> - 1
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder debt(long mostPermits) {
            if (mostPermits < 0 || mostPermits > -BucketState.LOWEST_LEVEL) {
                throw new IllegalArgumentException("debt of limit \"" + name + "\" must be 0 to "
                        + -BucketState.LOWEST_LEVEL + " but is " + mostPermits);
            }
            this.debt = mostPermits;
            return this;
        }

        /**
         * Punishes keys that are denied again and again: each denial is a strike, and a key with too many is denied on every node, from
         * memory and without being charged, for a while that doubles each time. What a failure policy denies is no strike, nor is what is
         * denied to a key that is blocked. {@link Limiter#strike} counts one for reasons of the application's own.
         *
         * <p>Strikes are counted off the caller's path, under the limit's name and {@code ".strikes"}: with a penalty a name has at most 56
         * characters. A shadow denies nothing, and so cannot punish.
         */
        public Builder penalty(Penalty value) {
            this.penalty = Objects.requireNonNull(value, "penalty");
            return this;
        }

        /**
         * Gives one key numbers of its own, instead of the limit's: a customer's plan, say. All else stays as the limit has it, the
         * algorithm too. They are a part of the limit's numbers: raise the {@link #version} when they change, when a key is added and
         * when one is taken out. {@link Administration#override} sets others at run time, which count until they are cleared.
         *
         * <p>A limit with overrides has a version below 2<sup>44</sup>, and needs a {@linkplain io.weir.store.Buckets#override store}
         * that can count keys apart: those of this library can.
         *
         * @param key any string
         * @param bandwidths at least one, as for {@link #bandwidth}
         * @throws IllegalArgumentException if the key has an override already, or there are {@value Directives#MOST} already
         */
        public Builder override(String key, Bandwidth... bandwidths) {
            String stored = StoredKey.wellFormed(Objects.requireNonNull(key, "key"));
            if (overrides.containsKey(stored)) {
                throw new IllegalArgumentException(ofKey(stored) + " is given twice: keep one of the two");
            }
            if (overrides.size() >= Directives.MOST) {
                throw new IllegalArgumentException(
                        ofKey(stored) + " is one more than the " + Directives.MOST + " that a limit can have");
            }
            overrides.put(stored, List.of(bandwidths));
            return this;
        }

        private String ofKey(String storedKey) {
            return "override of key " + Audit.key(storedKey) + " under limit \"" + name + "\"";
        }

        private Map<String, Algorithm> algorithmsOfKeys() {
            Map<String, Algorithm> algorithms = new LinkedHashMap<>();
            overrides.forEach((key, own) -> {
                try {
                    algorithms.put(key, algorithm.with(own));
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException(ofKey(key) + ": " + e.getMessage(), e);
                }
            });
            if (!algorithms.isEmpty()) {
                KeyVersion.of(name, 0, version); // refuses what cannot be one
            }
            return Map.copyOf(algorithms);
        }

        /**
         * The version of the numbers, 1 if not called. Raise it with every change: a node that still has an older version
         * is then answered by the newer numbers. Otherwise, during a roll-out, old and new numbers take turns, and a
         * bandwidth that is only in one of them is not held.
         *
         * @param value 1 or more
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder version(long value) {
            if (value < 1) {
                throw new IllegalArgumentException(
                        "version of limit \"" + name + "\" must be at least 1 but is " + value);
            }
            this.version = value;
            return this;
        }

        /**
         * The limit.
         *
         * @throws IllegalArgumentException naming the value, if there is no bandwidth, if there are more than
         *     {@value Algorithm#MAX_BANDWIDTHS}, or two of one name; if a shadow or one of a long name punishes; if the algorithm cannot count by the numbers of one or of an {@link #override}; if
         *     keys have numbers of their own under a version of 2<sup>44</sup> or more; or if
         *     {@link #strictPartitions} comes with a {@link #carryOver} other than {@link CarryOver#PROPORTION}
         */
        public Limit build() {
            if (bandwidths.isEmpty()) {
                throw new IllegalArgumentException(
                        "limit \"" + name + "\" has no bandwidth: add one with .bandwidth(..)");
            }
            if (debt > 0 && algorithm != Algorithm.Kind.TOKEN_BUCKET) {
                throw new IllegalArgumentException(
                        "limit \"" + name + "\" allows a debt of " + debt + ", but counts by " + algorithm
                                + ": only a TOKEN_BUCKET can owe. Leave out .debt(..), or choose that");
            }
            if (penalty != null && shadow) {
                throw new IllegalArgumentException("limit \"" + name
                        + "\" is a shadow, which denies nothing, and cannot punish: leave out .penalty(..)");
            }
            if (penalty != null && name.length() > MOST_WITH_STRIKES) {
                throw new IllegalArgumentException("limit \"" + name + "\" punishes, and so its name must have at most "
                        + MOST_WITH_STRIKES + " characters but has " + name.length());
            }
            return new Limit(this);
        }
    }
}
