package io.weir.quota;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one account has of a reservation.
 *
 * @param id the key it was reserved under, as stored
 * @param amount how much was put aside
 * @param settled what {@link QuotaOperations#settle} was asked for; 0 before that
 * @param charged what it could charge of that
 * @param window the period it was made in
 * @param expiresAt until when it counts
 * @param answer of the settlement; null before that
 */
record Held(
        String id,
        State state,
        long amount,
        long settled,
        long charged,
        Window window,
        Instant expiresAt,
        List<Part> parts,
        @Nullable String answer) {

    enum State {
        OPEN,
        SETTLED,
        RELEASED,
        EXPIRED
    }

    /** Whether it has to be marked as expired, at {@code now}. */
    boolean isDue(Instant now) {
        return state == State.OPEN && !expiresAt.isAfter(now);
    }

    Held in(State next) {
        return new Held(id, next, amount, settled, charged, window, expiresAt, parts, answer);
    }

    Held settled(long actual, long covered, String text) {
        return new Held(id, State.SETTLED, amount, actual, covered, window, expiresAt, parts, text);
    }

    Held until(Instant later) {
        return new Held(id, state, amount, settled, charged, window, later, parts, answer);
    }
}
