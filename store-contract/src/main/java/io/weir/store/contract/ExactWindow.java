package io.weir.store.contract;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.Verdict;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The oracle of the algorithms that count per window. It remembers what was taken and when, works out by the definition how
 * much of that counts at an instant, and finds the instant at which something is ready by trying.
 */
final class ExactWindow implements Oracle {

    private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);

    /** What is remembered. */
    private Balance stored;

    /** What the last call saw. It differs from what is remembered after a denial, which stores nothing (I4). */
    private Balance seen;

    private ExactWindow(Balance balance) {
        stored = balance;
        seen = balance;
    }

    static ExactWindow full(Rule rule, long nowNanos) {
        return new ExactWindow(new Balance(
                rule,
                nowNanos,
                rule.algorithm().bandwidths().stream()
                        .map(each -> new Ledger(rule.algorithm().kind(), each, new TreeMap<>()))
                        .toList()));
    }

    @Override
    public Verdict take(Rule rule, long permits, long nowNanos) {
        seen = stored.under(rule, nowNanos);
        Verdict verdict = seen.verdict(permits);
        boolean granted = verdict == Verdict.GRANTED && permits > 0;
        if (granted) {
            seen = seen.with(each -> each.plus(permits, seen.at()));
        }
        boolean rebased = seen.atNanos < stored.atNanos;
        boolean changed = !seen.rule.equals(stored.rule);
        if (granted || (permits > 0 && (rebased || changed))) {
            stored = seen;
        }
        return verdict;
    }

    @Override
    public Verdict giveBack(Rule rule, long permits, long nowNanos) {
        stored = stored.under(rule, nowNanos).with(each -> each.minus(permits));
        seen = stored;
        return Verdict.GRANTED;
    }

    @Override
    public Verdict charge(Rule rule, long permits, long nowNanos) {
        Balance now = stored.under(rule, nowNanos);
        stored = now.with(each -> each.plus(Math.min(permits, Math.max(0, each.left(now.at()))), now.at()));
        seen = stored;
        return Verdict.GRANTED;
    }

    @Override
    public Rule rule() {
        return seen.rule;
    }

    @Override
    public long atNanos() {
        return seen.atNanos;
    }

    @Override
    public long remaining(int bandwidth) {
        return seen.ledgers.get(bandwidth).left(seen.at());
    }

    @Override
    public long readyAtNanos(int bandwidth, long permits) {
        BigInteger wait = seen.ledgers.get(bandwidth).nanosUntil(seen.at(), permits);
        return wait.compareTo(MAX_LONG) >= 0
                ? Long.MAX_VALUE
                : seen.at().add(wait).min(MAX_LONG).longValueExact();
    }

    @Override
    public boolean isReadyFirstAt(int bandwidth, long permits, long instantNanos) {
        if (instantNanos == Long.MAX_VALUE || instantNanos < seen.atNanos) {
            return readyAtNanos(bandwidth, permits) == instantNanos;
        }
        Ledger ledger = seen.ledgers.get(bandwidth);
        BigInteger instant = BigInteger.valueOf(instantNanos);
        return ledger.left(instant) >= permits
                && (instantNanos == seen.atNanos || ledger.left(instant.subtract(BigInteger.ONE)) < permits);
    }

    private record Balance(Rule rule, long atNanos, List<Ledger> ledgers) {

        BigInteger at() {
            return BigInteger.valueOf(atNanos);
        }

        Balance with(UnaryOperator<Ledger> change) {
            return new Balance(rule, atNanos, ledgers.stream().map(change).toList());
        }

        /** This balance at {@code nowNanos} (I2) and then under {@code asked}, unless that is outdated (I7). */
        Balance under(Rule asked, long nowNanos) {
            Balance now = at(nowNanos);
            if (asked.version() < rule.version() || asked.equals(rule)) {
                return now;
            }
            List<Ledger> carried = new ArrayList<>();
            for (Bandwidth each : asked.algorithm().bandwidths()) {
                carried.add(now.origin(each.name()).carriedTo(each, now.at()));
            }
            return new Balance(asked, now.atNanos, carried);
        }

        private Ledger origin(String name) {
            return ledgers.stream()
                    .filter(each -> each.bandwidth.name().equals(name))
                    .findFirst()
                    .orElseGet(() -> ledgers.stream()
                            .min(Comparator.comparing(each -> each, (one, other) -> one.compareParts(other, at())))
                            .orElseThrow());
        }

        private Balance at(long nowNanos) {
            BigInteger now = BigInteger.valueOf(nowNanos);
            BigInteger back = at().subtract(now);
            if (back.signum() <= 0) {
                return new Balance(rule, nowNanos, ledgers)
                        .with(each -> each.without(now.subtract(each.window().shiftLeft(1))));
            }
            boolean tolerable = back.compareTo(BigInteger.valueOf(Algorithm.STEP_BACK_TOLERANCE_NANOS)) <= 0;
            return tolerable ? this : new Balance(rule, nowNanos, ledgers).with(each -> each.shifted(at(), now));
        }

        Verdict verdict(long permits) {
            if (ledgers.stream().anyMatch(each -> permits > each.bandwidth.capacity())) {
                return Verdict.NEVER;
            }
            boolean there = permits == 0 || ledgers.stream().allMatch(each -> permits <= each.left(at()));
            return there ? Verdict.GRANTED : Verdict.DENIED;
        }
    }

    /** What was taken of one bandwidth: how much, by when. When is an instant in a log, else the number of a window. */
    private record Ledger(Algorithm.Kind kind, Bandwidth bandwidth, NavigableMap<BigInteger, BigInteger> taken) {

        BigInteger window() {
            return BigInteger.valueOf(bandwidth.period().toNanos());
        }

        private BigInteger place(BigInteger at) {
            return kind == Algorithm.Kind.SLIDING_LOG
                    ? at
                    : at.subtract(at.mod(window())).divide(window());
        }

        private BigInteger takenIn(BigInteger place) {
            return taken.getOrDefault(place, BigInteger.ZERO);
        }

        /** By the definitions, in whole permits and rounded up. */
        private BigInteger counting(BigInteger at) {
            return switch (kind) {
                case FIXED_WINDOW -> takenIn(place(at));
                case SLIDING_WINDOW -> {
                    BigInteger covered = window().subtract(at.mod(window()));
                    BigInteger before = takenIn(place(at).subtract(BigInteger.ONE));
                    yield ceilDivide(before.multiply(covered), window()).add(takenIn(place(at)));
                }
                default ->
                    taken.tailMap(at.subtract(window()), false).values().stream()
                            .reduce(BigInteger.ZERO, BigInteger::add);
            };
        }

        long left(BigInteger at) {
            return BigInteger.valueOf(bandwidth.capacity())
                    .subtract(counting(at))
                    .longValueExact();
        }

        /** The first of all instants within two windows, by which nothing counts any more. Less never becomes available. */
        BigInteger nanosUntil(BigInteger at, long permits) {
            BigInteger most = BigInteger.valueOf(bandwidth.capacity()).subtract(BigInteger.valueOf(permits));
            BigInteger tooSoon = BigInteger.valueOf(-1);
            BigInteger enough = counting(at).compareTo(most) <= 0 ? BigInteger.ZERO : window().shiftLeft(1);
            while (enough.subtract(tooSoon).compareTo(BigInteger.ONE) > 0) {
                BigInteger middle = tooSoon.add(enough).shiftRight(1);
                if (counting(at.add(middle)).compareTo(most) <= 0) {
                    enough = middle;
                } else {
                    tooSoon = middle;
                }
            }
            return enough;
        }

        Ledger plus(long permits, BigInteger at) {
            return changed(more -> more.merge(place(at), BigInteger.valueOf(permits), BigInteger::add));
        }

        Ledger minus(long permits) {
            return changed(fewer -> {
                BigInteger left = BigInteger.valueOf(permits);
                for (Map.Entry<BigInteger, BigInteger> each :
                        taken.descendingMap().entrySet()) {
                    BigInteger back = each.getValue().min(left);
                    fewer.put(each.getKey(), each.getValue().subtract(back));
                    left = left.subtract(back);
                }
            });
        }

        Ledger without(BigInteger before) {
            return new Ledger(kind, bandwidth, taken.tailMap(place(before), true));
        }

        /** The instants move along; what windows count is put into the one of the new instant. */
        Ledger shifted(BigInteger from, BigInteger to) {
            NavigableMap<BigInteger, BigInteger> moved = new TreeMap<>();
            if (kind == Algorithm.Kind.SLIDING_LOG) {
                taken.forEach((at, permits) -> moved.put(at.add(to).subtract(from), permits));
            } else {
                moved.put(place(to), counting(from));
            }
            return new Ledger(kind, bandwidth, moved);
        }

        int compareParts(Ledger other, BigInteger at) {
            BigInteger mine = BigInteger.valueOf(left(at)).multiply(BigInteger.valueOf(other.bandwidth.capacity()));
            BigInteger others = BigInteger.valueOf(other.left(at)).multiply(BigInteger.valueOf(bandwidth.capacity()));
            return mine.compareTo(others);
        }

        /** The same part is left, and what is missing was taken when it was; as far as that is not known, now. */
        Ledger carriedTo(Bandwidth other, BigInteger at) {
            BigInteger to = BigInteger.valueOf(other.capacity());
            BigInteger from = BigInteger.valueOf(bandwidth.capacity());
            BigInteger missing = to.subtract(
                    ceilDivide(BigInteger.valueOf(-left(at)).multiply(to), from).negate());
            NavigableMap<BigInteger, BigInteger> scaled = new TreeMap<>();
            if (other.period().equals(bandwidth.period()) && left(at) >= 0) {
                BigInteger since = BigInteger.ZERO;
                for (Map.Entry<BigInteger, BigInteger> each :
                        counted(at).descendingMap().entrySet()) {
                    BigInteger until = kind == Algorithm.Kind.SLIDING_LOG ? since : BigInteger.ZERO;
                    since = until.add(each.getValue());
                    BigInteger permits =
                            ceilDivide(since.multiply(to), from).subtract(ceilDivide(until.multiply(to), from));
                    scaled.put(each.getKey(), permits);
                }
            }
            Ledger known = new Ledger(kind, other, scaled);
            long more =
                    missing.subtract(known.counting(at)).max(BigInteger.ZERO).longValueExact();
            return more == 0 ? known : known.plus(more, at);
        }

        /** What can count at an instant or later. */
        private NavigableMap<BigInteger, BigInteger> counted(BigInteger at) {
            BigInteger since = at.subtract(window());
            return kind == Algorithm.Kind.SLIDING_LOG ? taken.tailMap(since, false) : taken.tailMap(place(since), true);
        }

        private Ledger changed(Consumer<NavigableMap<BigInteger, BigInteger>> change) {
            NavigableMap<BigInteger, BigInteger> copy = new TreeMap<>(taken);
            change.accept(copy);
            return new Ledger(kind, bandwidth, copy);
        }

        private static BigInteger ceilDivide(BigInteger dividend, BigInteger divisor) {
            BigInteger negative = dividend.negate();
            return negative.subtract(negative.mod(divisor)).divide(divisor).negate();
        }
    }
}
