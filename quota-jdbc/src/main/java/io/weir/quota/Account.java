package io.weir.quota;

import io.weir.quota.Change.Movement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One account as a decision finds it, and what the decision does to it. Used by one thread, for one decision, at one instant; what
 * is to be stored comes out of {@link #changes}.
 *
 * <p>There are two pockets: credit, which is taken first, and the period. What goes back goes in the opposite order.
 */
final class Account {

    private static final Comparator<Credit> EARLIEST_EXPIRY =
            Comparator.comparing((Credit each) -> each.expiresAt).thenComparing(each -> each.id);

    private final Spot spot;
    private final Instant now;
    private @Nullable Long ownCap;
    private final long raised;
    private final @Nullable Instant nextExpiry;
    private final Map<Instant, Pocket> periods = new TreeMap<>();
    private final List<Credit> credits = new ArrayList<>();
    private final Map<String, Held> reservations = new LinkedHashMap<>();
    private final Map<String, Operation> operations = new LinkedHashMap<>();
    private final List<Change> others = new ArrayList<>();

    /** A period's numbers, and by how much this decision changes them. */
    private static final class Pocket {
        /** As far as its rules have it reach, so far. */
        Window window;

        final boolean stored;
        final long spent;
        final long reserved;
        long spentBy;
        long reservedBy;

        Pocket(Window window, boolean stored, long spent, long reserved) {
            this.window = window;
            this.stored = stored;
            this.spent = spent;
            this.reserved = reserved;
        }
    }

    /** A credit, and by how much this decision uses it. */
    private static final class Credit {
        final String id;
        final long amount;
        final long used;
        final Instant expiresAt;
        long usedBy;

        Credit(String id, long amount, long used, Instant expiresAt) {
            this.id = id;
            this.amount = amount;
            this.used = used;
            this.expiresAt = expiresAt;
        }

        long left() {
            return amount - used - usedBy;
        }
    }

    Account(Spot spot, Instant now, @Nullable Long ownCap, long raised, @Nullable Instant nextExpiry) {
        this.spot = spot;
        this.now = now;
        this.ownCap = ownCap;
        this.raised = raised;
        this.nextExpiry = nextExpiry;
    }

    void loadPeriod(Window window, long spent, long reserved) {
        Pocket before = periods.get(window.start());
        Window longest = before != null && before.window.end().isAfter(window.end()) ? before.window : window;
        periods.put(window.start(), new Pocket(longest, true, spent, reserved));
    }

    void loadCredit(String id, long amount, long used, Instant expiresAt) {
        if (expiresAt.isAfter(now)) {
            credits.add(new Credit(id, amount, used, expiresAt));
            credits.sort(EARLIEST_EXPIRY);
        }
    }

    void loadHeld(Held held) {
        reservations.put(held.id(), held);
    }

    void loadOperation(Operation operation) {
        operations.put(operation.key(), operation);
    }

    /** How much of a period is free: never less than nothing. What is spent and reserved together fits a long, as cap and debt do. */
    static long room(long cap, long spent, long reserved) {
        return Math.max(0, cap - spent - reserved);
    }

    Spot spot() {
        return spot;
    }

    long raised() {
        return raised;
    }

    /** Gives the account a cap of its own; null for the quota's. */
    void ownCap(@Nullable Long cap) {
        ownCap = cap;
        others.add(new Change.CapChanged(spot, cap));
    }

    long cap(Quota quota) {
        return ownCap == null ? quota.cap() : ownCap;
    }

    /** The earliest instant at which something that is put aside is free again; null if nothing is. */
    @Nullable
    Instant nextExpiry() {
        return nextExpiry;
    }

    @Nullable
    Held held(String id) {
        return reservations.get(id);
    }

    @Nullable
    Operation operation(String key) {
        return operations.get(key);
    }

    long credit() {
        long left = 0;
        for (Credit each : credits) {
            left = Amounts.add("credit of " + spot, left, each.left());
        }
        return left;
    }

    long room(Quota quota, Window window) {
        return Amounts.add("room of " + spot, periodRoom(cap(quota), window), credit());
    }

    private long periodRoom(long cap, Window window) {
        Pocket pocket = pocket(window);
        return room(cap, pocket.spent + pocket.spentBy, pocket.reserved + pocket.reservedBy);
    }

    Balance balance(Charge charge, Window window, long uncovered) {
        Pocket pocket = pocket(window);
        return new Balance(
                charge.quota(),
                charge.key(),
                window,
                cap(charge.quota()),
                pocket.spent + pocket.spentBy,
                pocket.reserved + pocket.reservedBy,
                credit(),
                uncovered);
    }

    /** Gives back what expired: part of every decision, before anything else. */
    void expire() {
        for (Held each : List.copyOf(reservations.values())) {
            if (each.isDue(now)) {
                free(each, each.parts(), Movement.Kind.EXPIRE);
                change(each.in(Held.State.EXPIRED));
            }
        }
    }

    /** Takes {@code amount} from credit, then from the period up to {@code cap}; less, if there is not as much. */
    List<Part> take(long amount, long cap, Window window) {
        List<Part> parts = new ArrayList<>();
        long left = amount;
        for (Credit each : credits) {
            long taken = Math.min(left, each.left());
            if (taken > 0) {
                parts.add(new Part(each.id, taken));
                left -= taken;
            }
        }
        long taken = Math.min(left, periodRoom(cap, window));
        if (taken > 0) {
            parts.add(new Part(null, taken));
        }
        return parts;
    }

    void spend(
            List<Part> parts, Window window, Movement.Kind kind, @Nullable String key, @Nullable String reservation) {
        for (Part each : parts) {
            move(each.credit(), window, kind, each.amount(), 0, key, reservation);
        }
    }

    void refund(List<Part> parts, Window window, Movement.Kind kind, String key) {
        for (Part each : parts) {
            move(each.credit(), window, kind, -each.amount(), 0, key, null);
        }
    }

    void hold(Held held, String key) {
        for (Part each : held.parts()) {
            move(each.credit(), held.window(), Movement.Kind.RESERVE, 0, each.amount(), key, held.id());
        }
        others.add(new Change.HeldAdded(spot, held));
    }

    /** Frees {@code parts} of what is put aside. */
    void free(Held held, List<Part> parts, Movement.Kind kind) {
        for (Part each : parts) {
            move(each.credit(), held.window(), kind, 0, -each.amount(), null, held.id());
        }
    }

    /** Turns {@code parts} of what is put aside into spent. */
    void convert(Held held, List<Part> parts) {
        for (Part each : parts) {
            move(each.credit(), held.window(), Movement.Kind.SETTLE, each.amount(), -each.amount(), null, held.id());
        }
    }

    void change(Held held) {
        reservations.put(held.id(), held);
        others.add(new Change.HeldChanged(spot, held));
    }

    void add(Change change) {
        others.add(change);
    }

    /** A row of the history that moves nothing by itself. */
    void note(
            Movement.Kind kind,
            long amount,
            @Nullable String key,
            @Nullable String reservation,
            @Nullable String credit) {
        others.add(new Movement(spot, now, null, kind, 0, 0, amount, key, reservation, credit));
    }

    /** All there is to store, the numbers before the history. */
    List<Change> changes() {
        List<Change> changes = new ArrayList<>();
        for (Pocket each : periods.values()) {
            if (each.spentBy != 0 || each.reservedBy != 0) {
                changes.add(
                        each.stored
                                ? new Change.PeriodMoved(spot, each.window, each.spentBy, each.reservedBy)
                                : new Change.PeriodAdded(spot, each.window, each.spentBy, each.reservedBy));
            }
        }
        changes.addAll(others);
        return changes;
    }

    private void move(
            @Nullable String credit,
            Window window,
            Movement.Kind kind,
            long spentBy,
            long reservedBy,
            @Nullable String key,
            @Nullable String reservation) {
        if (credit == null) {
            Pocket pocket = pocket(window);
            pocket.spentBy += spentBy;
            pocket.reservedBy += reservedBy;
        } else {
            for (Credit each : credits) {
                if (each.id.equals(credit)) {
                    each.usedBy += spentBy + reservedBy;
                }
            }
            if (spentBy + reservedBy != 0) { // also of credit that has expired, for the history's sake
                others.add(new Change.CreditMoved(spot, credit, spentBy + reservedBy));
            }
        }
        others.add(new Movement(spot, now, window.start(), kind, spentBy, reservedBy, 0, key, reservation, credit));
    }

    private Pocket pocket(Window window) {
        Pocket pocket = periods.computeIfAbsent(window.start(), start -> new Pocket(window, false, 0, 0));
        if (window.end().isAfter(pocket.window.end())) { // its rule was given a longer period since
            pocket.window = window;
        }
        return pocket;
    }
}
