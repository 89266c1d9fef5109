package io.weir;

import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.Verdict;
import io.weir.store.Buckets;
import io.weir.store.LastKnown;
import io.weir.store.NanoClock;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoredKey;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * This node's part of one limit, for as long as owners cannot be reached: a {@link Share} for each key, with the limit
 * divided by the number of nodes. Thread-safe; nothing here waits for anybody.
 *
 * <p>Shares outlive the outage, so that a store that comes and goes does not hand out a new one each time. Only one that is
 * full again and owes its owner nothing is dropped; so a flood of new keys cannot reset a drained one, and is denied itself
 * once there are as many as there may be.
 *
 * <p>What was granted from a share is charged to its owner once that answers again: each grant once, or not at all if
 * nobody can know whether it was, be it by the request itself or by the charge.
 */
final class Shares {

    /** How many shares one {@link #tend} looks at. */
    private static final int LOOKED_AT_AT_ONCE = 10_000;

    /** How many owners are being charged at once: a bound on what healing costs them. */
    static final int MOST_CHARGES_AT_ONCE = 256;

    private final Buckets owners;
    private final IntSupplier nodes;
    private final NanoClock clock;
    private final int maxShares;
    private final ConcurrentHashMap<String, Share> byKey = new ConcurrentHashMap<>();

    /** For who tends. */
    private Iterator<Map.Entry<String, Share>> tended = byKey.entrySet().iterator();

    private final AtomicInteger charging = new AtomicInteger();

    /** The limit's own, and not those of a key; written under this. */
    private volatile Share.Numbers numbers;

    /** What a charge failed with that was no outage, the first since it was last told; null if there was none. */
    private final AtomicReference<@Nullable Throwable> bug = new AtomicReference<>();

    /**
     * @param owners where the limit is decided while it can be
     * @param nodes among how many it is divided, at least 1
     * @param maxShares how many keys have a share at once
     */
    Shares(Rule whole, Buckets owners, IntSupplier nodes, NanoClock clock, int maxShares) {
        this.owners = owners;
        this.nodes = nodes;
        this.clock = clock;
        this.maxShares = maxShares;
        this.numbers = divided(whole, nodes.getAsInt());
    }

    /** The limit has other numbers. Each share is brought under them when it is next used: balances are carried over. */
    synchronized void change(Rule whole) {
        numbers = divided(whole, nodes.getAsInt());
    }

    /**
     * Decides by this node's share.
     *
     * @param owed whether the owner is to be charged for a grant: not if the request reached it, or may have, since it may
     *     have charged it already
     */
    Decision decide(Limit limit, String key, long permits, boolean owed) {
        Verdict verdict = verdict(numbers(limit.rule()), key, permits, owed);
        // More than the share holds is not more than the limit holds: it can be granted once the owner is back.
        return Decision.shared(
                limit, key, permits, verdict == Verdict.NEVER ? Verdict.DENIED : verdict, new OfShare(owed));
    }

    /** Back to where permits were taken from. */
    private final class OfShare implements Returns {
        private final boolean owed;

        /** @param owed as they were taken */
        private OfShare(boolean owed) {
            this.owed = owed;
        }

        @Override
        public CompletableFuture<Void> giveBack(String key, long permits, long deadlineNanos) {
            Share share = byKey.get(StoredKey.of(key));
            if (share != null) {
                share.giveBack(permits, owed, clock.nanoTime());
            }
            return CompletableFuture.completedFuture(null);
        }

        /** Never into debt: a share is not what the debt is owed to. */
        @Override
        public CompletableFuture<Void> charge(String key, long permits, long mostDebt, long deadlineNanos) {
            String name = StoredKey.of(key);
            Share share = byKey.get(name);
            if (share != null) {
                share.charge(permits, owed && isChargeable(name), clock.nanoTime());
            }
            return CompletableFuture.completedFuture(null);
        }
    }

    private Verdict verdict(Share.Numbers present, String key, long permits, boolean owed) {
        if (permits == 0) {
            return Verdict.GRANTED; // creates nothing (I6)
        }
        String name = StoredKey.of(key);
        LastKnown known = owners.lastKnown(key).orElse(null);
        while (true) {
            Share share = byKey.get(name);
            if (share == null) {
                if (byKey.mappingCount() >= maxShares) {
                    return Verdict.DENIED; // a new key may not get what a drained one lacks
                }
                share = byKey.computeIfAbsent(name, any -> new Share(present));
            }
            Verdict verdict = share.take(present, known, permits, owed && isChargeable(name), clock.nanoTime());
            if (verdict != null) {
                return verdict;
            }
            byKey.remove(name, share);
        }
    }

    /** A key that is too long to be kept cannot be named to its owner later. */
    private static boolean isChargeable(String name) {
        return name.length() <= StoredKey.MAX_LITERAL_LENGTH;
    }

    private boolean dropIfFull(String name, Share share) {
        return share.dropIfFull(clock.nanoTime()) && byKey.remove(name, share);
    }

    /**
     * Drops shares that are full, and charges owners that answer again. To be called a few times a second, from one thread.
     *
     * @param ownersAnswer whether the owners of this limit answer again; otherwise each has to be heard of itself
     * @param deadlineNanos how long to wait for a charge
     * @throws IllegalStateException if an earlier charge failed by a bug of the store's
     */
    void tend(boolean ownersAnswer, long deadlineNanos) {
        Throwable found = bug.getAndSet(null);
        if (found != null) {
            throw new IllegalStateException("an owner could not be charged for what its limit's share granted", found);
        }
        if (!tended.hasNext()) {
            tended = byKey.entrySet().iterator();
        }
        for (int i = 0; i < LOOKED_AT_AT_ONCE && tended.hasNext(); i++) {
            Map.Entry<String, Share> entry = tended.next();
            String name = entry.getKey();
            Share share = entry.getValue();
            boolean gone = dropIfFull(name, share);
            if (!gone && charging.get() < MOST_CHARGES_AT_ONCE && answers(ownersAnswer, name, share)) {
                charge(name, share, deadlineNanos);
            }
        }
    }

    private boolean answers(boolean ownersAnswer, String name, Share share) {
        return ownersAnswer || share.isHeardAgain(owners.lastKnown(name).orElse(null));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // how it ends is told to charged(..)
    private void charge(String name, Share share, long deadlineNanos) {
        Unpaid unpaid = share.takeUnpaid(clock.nanoTime());
        if (unpaid.total() == 0) {
            return;
        }
        charging.incrementAndGet();
        CompletableFuture<?> call;
        try {
            call = owners.decide(name, List.of(new Request.Charge(unpaid.total())), deadlineNanos);
        } catch (RuntimeException | Error e) {
            call = CompletableFuture.failedFuture(e);
        }
        call.whenComplete((answers, thrown) -> charged(share, unpaid, thrown));
    }

    /** Only what surely was not charged is charged again. */
    private void charged(Share share, Unpaid unpaid, @Nullable Throwable thrown) {
        charging.decrementAndGet();
        Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        if (cause == null) {
            return;
        }
        if (!(cause instanceof StoreUnavailableException failure)) {
            bug.compareAndSet(null, cause); // the next may succeed, which makes it no less of a bug
        } else if (!failure.mayHaveCharged()) {
            share.putBackUnpaid(unpaid, clock.nanoTime());
        }
    }

    /** How many keys have a share. */
    long size() {
        return byKey.mappingCount();
    }

    private Share.Numbers numbers(Rule whole) {
        Share.Numbers present = numbers;
        int among = nodes.getAsInt();
        if (!present.whole().equals(whole)) { // of a key: rare, in an outage that is rare, and worked out each time
            return divided(whole, among);
        }
        return present.nodes() == among ? present : dividedAgain(present, among);
    }

    private synchronized Share.Numbers dividedAgain(Share.Numbers present, int among) {
        Share.Numbers again = divided(present.whole(), among);
        if (numbers.equals(present)) { // and did not change meanwhile
            numbers = again;
        }
        return again;
    }

    private static Share.Numbers divided(Rule whole, int nodes) {
        // Of a sliding window a permit counts for up to two: so it is the algorithm that is asked, and not its numbers.
        long refillNanos = whole.charge(null, Long.MAX_VALUE, 0, 0).state().fullAtNanos();
        return new Share.Numbers(whole, nodes, whole.share(nodes), refillNanos);
    }
}
