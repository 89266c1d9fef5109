package io.weir.quota;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A request, as it is decided.
 *
 * @param kind what is asked for
 * @param key what it is remembered under; the reservation's for what happens to one
 * @param attempt made anew for each call: tells what this call has stored from what another one under the same key has
 * @param charges what for
 * @param spend of a refund, the key of what is refunded
 * @param ttl of a reservation
 * @param until of a credit or an extension
 */
record Step(
        Kind kind,
        IdempotencyKey key,
        String attempt,
        List<Charge> charges,
        @Nullable IdempotencyKey spend,
        @Nullable Duration ttl,
        @Nullable Instant until) {

    /** The most charges in one step: what a statement has to name. */
    static final int MAX_CHARGES = 16;

    private static final Duration MIN_TTL = Duration.ofMillis(1);
    private static final Duration MAX_TTL = Duration.ofDays(366);

    private static final Instant LATEST = Instant.parse("9999-12-30T00:00:00Z");

    enum Kind {
        SPEND,
        RESERVE,
        SETTLE,
        RELEASE,
        EXTEND,
        REFUND,
        CREDIT,
        SET_CAP,
        REMOVE_CAP,
        /** Takes back what this very attempt has stored, after its caller was told no. */
        UNDO;

        /** Whether it is about a reservation that is there already. */
        boolean ofReservation() {
            return this == SETTLE || this == RELEASE || this == EXTEND;
        }

        String words() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    Step {
        Objects.requireNonNull(key, "key");
        charges = checked(charges);
    }

    static Step of(Kind kind, IdempotencyKey key, List<Charge> charges) {
        return new Step(kind, key, UUID.randomUUID().toString(), charges, null, null, null);
    }

    static Step reserve(IdempotencyKey key, Duration ttl, List<Charge> charges) {
        if (ttl.compareTo(MIN_TTL) < 0 || ttl.compareTo(MAX_TTL) > 0) {
            throw new IllegalArgumentException("ttl must be from 1 ms to 366 days, and is " + ttl);
        }
        return new Step(Kind.RESERVE, key, UUID.randomUUID().toString(), charges, null, ttl, null);
    }

    static Step refund(IdempotencyKey key, IdempotencyKey spend, List<Charge> amounts) {
        Objects.requireNonNull(spend, "spend");
        if (key.equals(spend)) {
            throw new IllegalArgumentException("a refund needs a key of its own, and has that of the spend: " + key);
        }
        return new Step(Kind.REFUND, key, UUID.randomUUID().toString(), amounts, spend, null, null);
    }

    static Step until(Kind kind, IdempotencyKey key, List<Charge> charges, Instant until) {
        if (until.isBefore(Instant.EPOCH) || until.isAfter(LATEST)) {
            throw new IllegalArgumentException("expiresAt must be from 1970 to 9999, and is " + until);
        }
        return new Step(kind, key, UUID.randomUUID().toString(), charges, null, null, Micros.truncate(until));
    }

    static Step settle(Reservation reservation, List<Charge> actual) {
        Step step = of(Kind.SETTLE, reservation.key(), actual);
        if (!step.spots().equals(spots(reservation.charges()))) {
            throw new IllegalArgumentException("actual must be of the "
                    + reservation.charges().size() + " quotas and keys that were reserved, each once");
        }
        return step;
    }

    Step undo() {
        return new Step(Kind.UNDO, key, attempt, charges, spend, ttl, until);
    }

    static List<Charge> checked(List<Charge> charges) {
        List<Charge> copy = List.copyOf(Objects.requireNonNull(charges, "charges"));
        if (copy.isEmpty() || copy.size() > MAX_CHARGES) {
            throw new IllegalArgumentException(
                    "a step has from 1 to " + MAX_CHARGES + " charges, and this one " + copy.size());
        }
        Set<Spot> seen = new HashSet<>();
        for (Charge each : copy) {
            if (!seen.add(Spot.of(each))) {
                throw new IllegalArgumentException("quota " + each.quota().name() + " is charged twice for key \""
                        + StoredText.of(each.key()) + "\"; add the amounts");
            }
        }
        return copy;
    }

    /** In the order in which accounts are created and locked, whatever the order of the charges. */
    List<Spot> sortedSpots() {
        return spots().stream().sorted().toList();
    }

    private Set<Spot> spots() {
        return spots(charges);
    }

    private static Set<Spot> spots(List<Charge> charges) {
        return charges.stream().map(Spot::of).collect(Collectors.toSet());
    }

    /** What one charge asks for: equal for the same request, and short enough to be kept and read. */
    String request(Charge charge) {
        String words = kind.words() + " " + charge.amount();
        if (charges.size() == 1 && spend == null && kind != Kind.CREDIT) {
            return words;
        }
        StringBuilder all = new StringBuilder();
        charges.stream()
                .map(each -> each.quota().name()
                        + ' '
                        + each.amount()
                        + ' '
                        + Spot.of(each).holder())
                .sorted()
                .forEach(each -> all.append(each).append('\n'));
        if (spend != null) {
            all.append(spend.stored());
        }
        if (until != null) {
            all.append(until);
        }
        String digest = HexFormat.of().formatHex(StoredText.sha256(all.toString()), 0, 16);
        return words + (charges.size() == 1 ? "" : " as one of " + charges.size()) + " #" + digest;
    }
}
