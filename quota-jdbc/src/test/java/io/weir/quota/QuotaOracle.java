package io.weir.quota;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What quotas come to, worked out in another way than the ledger's: every single unit is a coin that knows which purse it is from, and who
 * has it. Slow, and easy to believe. It answers each step with whether it is granted.
 */
final class QuotaOracle {

    private enum State {
        SPENT,
        ASIDE
    }

    /** A unit that is not free. Without a credit it is one of its period. */
    private static final class Coin {
        final Instant period;
        final @Nullable String credit;
        State state;

        Coin(Instant period, @Nullable String credit, State state) {
            this.period = period;
            this.credit = credit;
            this.state = state;
        }
    }

    private record Credit(String id, long amount, Instant expiresAt) {}

    /** What a spend or a reservation took, in the order in which it was taken. */
    private static final class Taken {
        final List<Coin> coins;
        final Instant period;
        Instant expiresAt = Instant.MAX;
        boolean ended;

        Taken(List<Coin> coins, Instant period) {
            this.coins = coins;
            this.period = period;
        }
    }

    private final Quota quota;
    private final List<Coin> coins = new ArrayList<>();
    private final List<Credit> credits = new ArrayList<>();
    private final Map<String, Taken> taken = new HashMap<>();
    private @Nullable Long ownCap;

    QuotaOracle(Quota quota) {
        this.quota = quota;
    }

    private long cap() {
        return ownCap == null ? quota.cap() : ownCap;
    }

    private Instant period(Instant now) {
        return quota.period().windowAt(now).start();
    }

    private void expire(Instant now) {
        for (Taken each : taken.values()) {
            if (!each.ended && !each.expiresAt.isAfter(now)) {
                coins.removeAll(each.coins);
                each.coins.clear();
                each.ended = true; // its time is over, but it can be settled
            }
        }
    }

    long spent(Instant now) {
        expire(now);
        return count(period(now), State.SPENT);
    }

    long reserved(Instant now) {
        expire(now);
        return count(period(now), State.ASIDE);
    }

    private long count(Instant period, State state) {
        return coins.stream()
                .filter(each -> each.credit == null && each.period.equals(period) && each.state == state)
                .count();
    }

    long credit(Instant now) {
        return credits.stream()
                .filter(each -> each.expiresAt().isAfter(now))
                .mapToLong(this::left)
                .sum();
    }

    private long left(Credit credit) {
        return credit.amount()
                - coins.stream().filter(each -> credit.id().equals(each.credit)).count();
    }

    /** Takes up to {@code amount}, credit first. */
    private List<Coin> take(long amount, Instant period, long limit, State state, Instant now) {
        List<Coin> all = new ArrayList<>();
        credits.sort(Comparator.comparing(Credit::expiresAt).thenComparing(Credit::id));
        for (Credit each : credits) {
            for (long left = left(each);
                    left > 0 && all.size() < amount && each.expiresAt().isAfter(now);
                    left--) {
                all.add(add(new Coin(period, each.id(), state)));
            }
        }
        while (all.size() < amount && count(period, State.SPENT) + count(period, State.ASIDE) < limit) {
            all.add(add(new Coin(period, null, state)));
        }
        return all;
    }

    private Coin add(Coin coin) {
        coins.add(coin);
        return coin;
    }

    private boolean hasRoom(long amount, Instant now) {
        long used = count(period(now), State.SPENT) + count(period(now), State.ASIDE);
        return amount <= Math.max(0, cap() - used) + credit(now);
    }

    boolean spend(String key, long amount, Instant now) {
        expire(now);
        if (taken.containsKey(key)) {
            return true;
        }
        if (!hasRoom(amount, now)) {
            return false;
        }
        taken.put(key, new Taken(take(amount, period(now), cap(), State.SPENT, now), period(now)));
        return true;
    }

    boolean reserve(String key, long amount, Duration ttl, Instant now) {
        expire(now);
        if (!hasRoom(amount, now)) {
            return false;
        }
        Taken aside = new Taken(take(amount, period(now), cap(), State.ASIDE, now), period(now));
        aside.expiresAt = now.plus(ttl);
        taken.put(key, aside);
        return true;
    }

    /** Settles, and tells how much found no room. */
    long settle(String key, long actual, Instant now) {
        expire(now);
        Taken aside = taken(key);
        while (aside.coins.size() > actual) { // the last goes back first: the period's before credit
            coins.remove(aside.coins.remove(aside.coins.size() - 1));
        }
        aside.coins.forEach(each -> each.state = State.SPENT);
        aside.coins.addAll(take(actual - aside.coins.size(), aside.period, cap() + quota.debt(), State.SPENT, now));
        aside.ended = true;
        aside.expiresAt = Instant.MAX;
        return actual - aside.coins.size();
    }

    void release(String key, Instant now) {
        expire(now);
        Taken aside = taken(key);
        coins.removeAll(aside.coins);
        aside.coins.clear();
        aside.ended = true;
    }

    /** Whether there was as much to give back. */
    boolean refund(String spend, long amount, Instant now) {
        expire(now);
        List<Coin> spent = taken(spend).coins;
        if (spent.size() < amount) {
            return false;
        }
        for (long i = 0; i < amount; i++) {
            coins.remove(spent.remove(spent.size() - 1));
        }
        return true;
    }

    void credit(String id, long amount, Instant expiresAt) {
        credits.add(new Credit(id, amount, expiresAt));
    }

    void cap(@Nullable Long cap) {
        ownCap = cap;
    }

    private Taken taken(String key) {
        Taken found = taken.get(key);
        if (found == null) {
            throw new IllegalStateException("nothing was taken under " + key);
        }
        return found;
    }
}
