package io.weir;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import io.weir.store.Directive;
import io.weir.store.Leasing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

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

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private final String name;
    private final FailurePolicy failurePolicy;
    private final Rule rule;
    private final Duration deadline;
    private final long deadlineNanos;
    private final long smallestCapacity;
    private final Leasing leasing;

    private Limit(Builder builder) {
        this.name = builder.name;
        this.failurePolicy = builder.failurePolicy;
        this.rule = new Rule(builder.version, new TokenBucket(builder.bandwidths), builder.strictPartitions);
        this.deadline = builder.deadline;
        this.deadlineNanos = builder.deadline.toNanos();
        this.leasing = builder.leasing;
        this.smallestCapacity = rule.algorithm().smallestCapacity();
    }

    private Limit(Limit like, Rule rule) {
        this.name = like.name;
        this.failurePolicy = like.failurePolicy;
        this.rule = rule;
        this.deadline = like.deadline;
        this.deadlineNanos = like.deadlineNanos;
        this.leasing = like.leasing;
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
        Builder builder = named(name, policy).deadline(Duration.ofNanos(definition.deadlineNanos()));
        definition.rule().algorithm().bandwidths().forEach(builder::bandwidth);
        if (definition.exact()) {
            builder.exact();
        }
        return new Limit(builder.build(), definition.rule());
    }

    /** What {@link #of} makes this limit of. */
    Directive.Definition definition() {
        return new Directive.Definition(rule, failurePolicy.name(), deadlineNanos, isExact());
    }

    /** The same limit under another rule. */
    Limit under(Rule other) {
        return new Limit(this, other);
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

    /** Whether every grant is decided by the bucket itself, rather than from a lease where that is quicker. */
    public boolean isExact() {
        return leasing == Leasing.NEVER;
    }

    /** Whether a cluster that misses members counts with its part of the limit; see {@link Builder#strictPartitions}. */
    public boolean isStrictPartitions() {
        return rule.strictPartitions();
    }

    /** What {@link #isExact()} means to a store. */
    Leasing leasing() {
        return leasing;
    }

    /** The most permits that one request can ever be granted. */
    long smallestCapacity() {
        return smallestCapacity;
    }

    /** {@link #deadline()} in nanoseconds: every decision needs it, and none should work it out. */
    long deadlineNanos() {
        return deadlineNanos;
    }

    /** The bandwidths that are decided together, in the order in which they were declared. */
    public List<Bandwidth> bandwidths() {
        return rule.algorithm().bandwidths();
    }

    @Override
    public boolean equals(Object other) {
        return other == this
                || (other instanceof Limit that
                        && name.equals(that.name)
                        && failurePolicy == that.failurePolicy
                        && rule.equals(that.rule)
                        && leasing == that.leasing
                        && deadline.equals(that.deadline));
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, failurePolicy, rule, leasing, deadline);
    }

    @Override
    public String toString() {
        return "Limit[" + name + ", " + failurePolicy + ", " + rule + ", deadline " + deadline
                + (isExact() ? ", exact" : "") + (isStrictPartitions() ? ", strict partitions]" : "]");
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
         *     {@value TokenBucket#MAX_BANDWIDTHS}, or two of one name
         */
        public Limit build() {
            if (bandwidths.isEmpty()) {
                throw new IllegalArgumentException(
                        "limit \"" + name + "\" has no bandwidth: add one with .bandwidth(..)");
            }
            return new Limit(this);
        }
    }
}
