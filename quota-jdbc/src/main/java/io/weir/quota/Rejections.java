package io.weir.quota;

import io.weir.algorithm.Verdict;
import io.weir.quota.Decided.Known;
import io.weir.quota.QuotaDecision.Source;
import io.weir.store.NanoClock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What this node knows of accounts that somebody was denied: a bounded number, with how much they have and until when they will not have more unless
 * somebody raises it. That one has too little is believed while its version was read within the last second, so that a raise anywhere ends that on every
 * node within a second, and a database that does not answer ends it, too. That one has enough, which anybody's spend can end, is believed for
 * a second after it was so: steps of several charges are denied only where all of them are known, since the answer names each quota that denies and the
 * last of their resets. Thread-safe; holds its lock for some map look-ups.
 */
final class Rejections {

    private static final int MAX_ACCOUNTS = 10_000;
    private static final int MAX_KEYS = 10_000;
    private static final long BELIEVED_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long ASKED_LATELY_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final NanoClock nanoClock;
    private final @Nullable InstantSource clock;
    private final Map<Spot, Entry> entries = bounded(MAX_ACCOUNTS);

    /** Requests that are known to be no replays, with the entry that this is known since. */
    private final Map<Request, Entry> rejected = bounded(MAX_KEYS);

    private record Request(Spot spot, String key) {}

    private static final class Entry {
        final Known known;
        final long knownNanos;
        long readNanos;
        long askedNanos;

        Entry(Known known, long nanos) {
            this.known = known;
            this.knownNanos = nanos;
            this.readNanos = nanos;
            this.askedNanos = nanos;
        }
    }

    /** @param clock the ledger's; null for the database's, whose time is then reckoned from what it told last */
    Rejections(NanoClock nanoClock, @Nullable InstantSource clock) {
        this.nanoClock = nanoClock;
        this.clock = clock;
    }

    /** The entry that was used longest ago makes room for a new one. Not thread-safe. */
    static <K, V> Map<K, V> bounded(int size) {
        return new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > size;
            }
        };
    }

    /** @param beforeNanos an instant before the database was asked */
    synchronized void remember(Step step, List<Known> known, long beforeNanos) {
        for (Known each : known) {
            Entry entry = new Entry(each.withoutKey(), beforeNanos);
            entries.put(each.spot(), entry);
            rejected.put(new Request(each.spot(), step.key().stored()), entry);
        }
    }

    synchronized void forget(Spot spot) {
        entries.remove(spot);
    }

    /**
     * The denial of a request that is known to have no room; null if it has to be asked about. One that {@code mayBeReplay} is not known to have been
     * denied before.
     */
    synchronized @Nullable Answer answer(Step step) {
        long nanos = nanoClock.nanoTime();
        List<Charge> denied = new ArrayList<>();
        List<Balance> balances = new ArrayList<>();
        boolean never = false;
        boolean known = step.key().isFresh();
        Instant resetsAt = Instant.MIN;
        for (Charge each : step.charges()) {
            Spot spot = Spot.of(each);
            Entry entry = entries.get(spot);
            if (entry == null || !isBelieved(entry, nanos)) {
                return null;
            }
            Balance balance = entry.known.balance();
            if (!balance.quota().equals(each.quota())) {
                return null; // the rule has changed since
            }
            entry.askedNanos = nanos;
            balances.add(balance.of(each.key()));
            if (each.amount() <= entry.known.room()) {
                if (nanos - entry.knownNanos >= BELIEVED_NANOS) {
                    return null;
                }
                continue;
            }
            denied.add(each);
            never |= each.amount() > Amounts.add("cap and credit", balance.cap(), balance.credit());
            known |= rejected.get(new Request(spot, step.key().stored())) == entry;
            resetsAt =
                    balance.window().end().isAfter(resetsAt) ? balance.window().end() : resetsAt;
        }
        if (denied.isEmpty()) {
            return null;
        }
        return new Answer(
                new QuotaDecision(
                        never ? Verdict.NEVER : Verdict.DENIED,
                        Source.MEMORY,
                        false,
                        balances,
                        denied,
                        never ? null : resetsAt,
                        null,
                        null),
                !known);
    }

    /** @param mayBeReplay whether somebody may have been granted this under its key, so that the key has to be looked up */
    record Answer(QuotaDecision denial, boolean mayBeReplay) {}

    /** After the key was looked up in vain. */
    synchronized void knowNoReplay(Step step, QuotaDecision denial) {
        for (Charge each : denial.denied()) {
            Spot spot = Spot.of(each);
            Entry entry = entries.get(spot);
            if (entry != null) {
                rejected.put(new Request(spot, step.key().stored()), entry);
            }
        }
    }

    /** The accounts whose version is to be read: those that were asked for lately. */
    synchronized List<Spot> watched() {
        long nanos = nanoClock.nanoTime();
        List<Spot> watched = new ArrayList<>();
        entries.forEach((spot, entry) -> {
            if (nanos - entry.askedNanos < ASKED_LATELY_NANOS) {
                watched.add(spot);
            }
        });
        return watched;
    }

    /**
     * What was read of {@code watched} accounts: forgets those that were raised, and believes the others for longer.
     *
     * @param beforeNanos an instant before the database was asked
     */
    synchronized void read(List<Spot> watched, Map<Spot, Long> raised, long beforeNanos) {
        for (Spot each : watched) {
            Entry entry = entries.get(each);
            if (entry == null || entry.knownNanos > beforeNanos) {
                continue; // what is known is newer than what was read
            }
            long version = raised.getOrDefault(each, 0L); // a denied first use is rolled back, account and all
            if (version != entry.known.raised() || isOver(entry, nanoClock.nanoTime())) {
                entries.remove(each);
            } else {
                entry.readNanos = beforeNanos;
            }
        }
    }

    private boolean isBelieved(Entry entry, long nanos) {
        return nanos - entry.readNanos < BELIEVED_NANOS && !isOver(entry, nanos);
    }

    /** By the database's time as it is at the latest: nanoseconds are counted from before it was asked. */
    private boolean isOver(Entry entry, long nanos) {
        Instant now = clock == null ? entry.known.now().plusNanos(nanos - entry.knownNanos) : clock.instant();
        return !now.isBefore(entry.known.until());
    }
}
