package io.weir.quota;

import java.time.Instant;
import java.util.List;

/**
 * What is remembered under an idempotency key, for one account.
 *
 * @param key as stored
 * @param request what was asked for; see {@link Step#request}
 * @param attempt the call that stored it
 * @param amount how much was moved
 * @param refunded how much of that went back
 * @param window the period it was moved in
 * @param parts where it was taken from
 * @param answer as {@link Answers} writes it
 * @param confirmed whether a replay was answered with it, so that it must not be undone
 */
record Operation(
        String key,
        String request,
        String attempt,
        long amount,
        long refunded,
        Window window,
        List<Part> parts,
        String answer,
        boolean confirmed,
        Instant createdAt) {

    private static final String UNDONE = "undone";

    /**
     * What is left where a spend was taken back, and not remembered as anything: a statement that is still on its way when its caller is told no, and
     * its connection is given up, would else be done when it arrives.
     */
    static Operation undone(String key, String attempt, Window window, Instant now) {
        return new Operation(key, UNDONE, attempt, 0, 0, window, List.of(), "", false, now);
    }

    boolean isUndone() {
        return request.equals(UNDONE);
    }
}
