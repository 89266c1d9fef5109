package io.weir.store.contract;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.BucketState;
import io.weir.algorithm.Rule;
import io.weir.algorithm.Verdict;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The oracle: what a token bucket must answer, in numbers of any size.
 *
 * <p>It is the bucket of one key and takes the same requests as {@link Rule}, but it computes in its own way and with
 * nothing in common but the values: a level is an unbounded count of the smallest part of a token that its bandwidth
 * knows, so there is neither a fraction apart nor an overflow to get wrong. Under changed numbers a bandwidth keeps the part
 * of its capacity that is left; one whose name is new has as much left as the bandwidth that has least.
 *
 * <p>Not thread-safe.
 */
public final class ExactBucket implements Oracle {

    private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);

    /** What is remembered. */
    private Balance stored;

    /** What the last call saw. It differs from what is remembered after a denial, which stores nothing (I4). */
    private Balance seen;

    private ExactBucket(Balance balance) {
        stored = balance;
        seen = balance;
    }

    /** An untouched bucket: every bandwidth at its capacity. */
    public static ExactBucket full(Rule rule, long nowNanos) {
        return new ExactBucket(new Balance(
                rule,
                nowNanos,
                Scale.of(rule).stream()
                        .map(scale -> new Level(scale, scale.capacityUnits))
                        .toList()));
    }

    /** A bucket that continues from a state. */
    public static ExactBucket of(BucketState state) {
        List<Scale> scales = Scale.of(state.rule());
        List<Level> levels = new ArrayList<>();
        for (int i = 0; i < scales.size(); i++) {
            BigInteger units = scales.get(i).units(state.level(i)).add(BigInteger.valueOf(state.fraction(i)));
            levels.add(new Level(scales.get(i), units));
        }
        return new ExactBucket(new Balance(state.rule(), state.atNanos(), levels));
    }

    /**
     * Decides one request.
     *
     * @param rule what the caller asks under; one older than the bucket's own does not count
     * @param permits zero (a peek, which stores nothing) or more
     */
    @Override
    public Verdict take(Rule rule, long permits, long nowNanos) {
        seen = stored.under(rule, nowNanos);
        Verdict verdict = seen.verdict(permits);
        boolean granted = verdict == Verdict.GRANTED && permits > 0;
        if (granted) {
            seen = seen.plus(-permits);
        }
        boolean rebased = seen.atNanos < stored.atNanos;
        boolean changed = !seen.rule.equals(stored.rule);
        if (granted || (permits > 0 && (rebased || changed))) {
            stored = seen;
        }
        return verdict;
    }

    /** Puts back permits, more than zero, up to capacity; that is always granted. */
    @Override
    public Verdict giveBack(Rule rule, long permits, long nowNanos) {
        seen = stored.under(rule, nowNanos).plus(permits);
        stored = seen;
        return Verdict.GRANTED;
    }

    /** Charges permits, more than zero, down to nothing; that is always granted. */
    @Override
    public Verdict charge(Rule rule, long permits, long nowNanos) {
        seen = stored.under(rule, nowNanos).charged(permits);
        stored = seen;
        return Verdict.GRANTED;
    }

    /** The rule in force at the last call. */
    @Override
    public Rule rule() {
        return seen.rule;
    }

    /** The instant that the last call was decided at. */
    @Override
    public long atNanos() {
        return seen.atNanos;
    }

    /** The whole permits that a bandwidth held after the last call; negative while it is in debt. */
    @Override
    public long remaining(int bandwidth) {
        Level level = seen.levels.get(bandwidth);
        return floorDivide(level.units, level.scale.unitsPerToken).longValueExact();
    }

    /**
     * The first instant, counted from the last call, at which a bandwidth alone could grant {@code permits}.
     *
     * @return {@link Long#MAX_VALUE} if that is beyond what a {@code long} of nanoseconds holds, be it the instant or the
     *     wait until then
     */
    @Override
    public long readyAtNanos(int bandwidth, long permits) {
        BigInteger wait = seen.levels.get(bandwidth).nanosUntil(permits);
        return wait.compareTo(MAX_LONG) >= 0
                ? Long.MAX_VALUE
                : BigInteger.valueOf(seen.atNanos).add(wait).min(MAX_LONG).longValueExact();
    }

    private static BigInteger floorDivide(BigInteger dividend, BigInteger divisor) {
        // The remainder is non-negative, so that what is left divides without rounding.
        return dividend.subtract(dividend.mod(divisor)).divide(divisor);
    }

    private static BigInteger ceilDivide(BigInteger dividend, BigInteger divisor) {
        return floorDivide(dividend.negate(), divisor).negate();
    }

    /** All bandwidths at one instant. */
    private record Balance(Rule rule, long atNanos, List<Level> levels) {

        /** This balance at {@code nowNanos} (I2) and then under {@code asked}, unless that is outdated (I7). */
        Balance under(Rule asked, long nowNanos) {
            Balance now = at(nowNanos);
            if (asked.version() < rule.version() || asked.equals(rule)) {
                return now;
            }
            List<Level> carried = new ArrayList<>();
            for (Scale scale : Scale.of(asked)) {
                carried.add(now.origin(scale.name).carriedTo(scale));
            }
            return new Balance(asked, now.atNanos, carried);
        }

        /** The level of that name or, for a name that is new, the one of which the smallest part is left. */
        private Level origin(String name) {
            return levels.stream()
                    .filter(level -> level.scale.name.equals(name))
                    .findFirst()
                    .orElseGet(() -> Collections.min(levels, Level::compareParts));
        }

        private Balance at(long nowNanos) {
            BigInteger elapsed = BigInteger.valueOf(nowNanos).subtract(BigInteger.valueOf(atNanos));
            if (elapsed.signum() > 0) {
                return new Balance(
                        rule,
                        nowNanos,
                        levels.stream().map(level -> level.after(elapsed)).toList());
            }
            boolean tolerable =
                    elapsed.negate().compareTo(BigInteger.valueOf(Algorithm.STEP_BACK_TOLERANCE_NANOS)) <= 0;
            return tolerable ? this : new Balance(rule, nowNanos, levels);
        }

        Verdict verdict(long permits) {
            if (levels.stream()
                    .anyMatch(level -> level.scale.units(permits).compareTo(level.scale.capacityUnits) > 0)) {
                return Verdict.NEVER;
            }
            // Zero permits are there even in debt (I6).
            boolean there = permits == 0
                    || levels.stream()
                            .allMatch(level -> level.scale.units(permits).compareTo(level.units) <= 0);
            return there ? Verdict.GRANTED : Verdict.DENIED;
        }

        Balance plus(long tokens) {
            return new Balance(
                    rule,
                    atNanos,
                    levels.stream()
                            .map(level -> level.plus(level.scale.units(tokens)))
                            .toList());
        }

        Balance charged(long tokens) {
            return new Balance(
                    rule,
                    atNanos,
                    levels.stream()
                            .map(level -> level.charged(level.scale.units(tokens)))
                            .toList());
        }
    }

    /** What one bandwidth holds: {@code units / unitsPerToken} tokens. */
    private record Level(Scale scale, BigInteger units) {

        Level plus(BigInteger added) {
            return new Level(scale, units.add(added).min(scale.capacityUnits));
        }

        /** Less what is charged, or nothing, or the debt that it is in. */
        Level charged(BigInteger taken) {
            return new Level(
                    scale, units.signum() < 0 ? units : units.subtract(taken).max(BigInteger.ZERO));
        }

        Level after(BigInteger elapsedNanos) {
            return plus(scale.unitsPerNano.multiply(elapsedNanos));
        }

        /** Which of two has the smaller part of its capacity left. */
        private int compareParts(Level other) {
            return units.multiply(other.scale.capacityUnits).compareTo(other.units.multiply(scale.capacityUnits));
        }

        /** The same part of the other capacity, rounded down to a unit there. */
        Level carriedTo(Scale other) {
            BigInteger proportional = floorDivide(units.multiply(other.capacityUnits), scale.capacityUnits);
            return new Level(other, proportional.max(other.units(BucketState.LOWEST_LEVEL)));
        }

        BigInteger nanosUntil(long permits) {
            BigInteger missing = scale.units(permits).subtract(units);
            return ceilDivide(missing.max(BigInteger.ZERO), scale.unitsPerNano);
        }
    }

    /** A bandwidth in units, the smallest part of a token that whole nanoseconds of refill can make. */
    private record Scale(String name, BigInteger unitsPerToken, BigInteger unitsPerNano, BigInteger capacityUnits) {

        static List<Scale> of(Rule rule) {
            return rule.algorithm().bandwidths().stream().map(Scale::of).toList();
        }

        private static Scale of(Bandwidth bandwidth) {
            BigInteger period = BigInteger.valueOf(bandwidth.period().toNanos());
            BigInteger refill = BigInteger.valueOf(bandwidth.refill());
            BigInteger divisor = period.gcd(refill);
            BigInteger unitsPerToken = period.divide(divisor);
            return new Scale(
                    bandwidth.name(),
                    unitsPerToken,
                    refill.divide(divisor),
                    BigInteger.valueOf(bandwidth.capacity()).multiply(unitsPerToken));
        }

        BigInteger units(long tokens) {
            return BigInteger.valueOf(tokens).multiply(unitsPerToken);
        }
    }
}
