package io.weir.quota;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What can be asked of quotas. {@link QuotaLedger} does each in a transaction of its own; {@link QuotaLedger#on} in the caller's.
 *
 * <p>Everything that moves something does so once for each {@link IdempotencyKey}: asked again under it, it gets the first answer;
 * asked for something else under it, it throws {@link IdempotencyConflictException}. What was denied moved nothing, and may be asked again under the same key. A step
 * has from 1 to {@value Step#MAX_CHARGES} charges, of different quotas or keys. Null arguments are a {@link NullPointerException}, and negative amounts an
 * {@link IllegalArgumentException}, each naming the argument; sums that do not fit a {@code long} are an {@link AmountOverflowException}.
 */
public sealed interface QuotaOperations permits Stepping {

    /**
     * Spends all of the charges, or none: of credit first, the one that expires earliest, and then of the period.
     *
     * @param key what makes this the same spend when it is asked again
     * @param charges how much, of which quotas, on behalf of which keys
     */
    QuotaDecision spend(IdempotencyKey key, List<Charge> charges);

    /** Spends one charge; see {@link #spend(IdempotencyKey, List)}. */
    default QuotaDecision spend(IdempotencyKey key, Charge charge) {
        return spend(key, List.of(charge));
    }

    /**
     * Puts all of the charges aside, or none, until they are settled, released, or the time is over: until {@code ttl} from the decision on they count
     * as spent, and at that instant they are free again, whether or not anybody asks. The answer has the {@link Reservation}.
     *
     * @param key what makes this the same reservation when it is asked again, and its name from then on
     * @param ttl from 1 ms to 366 days
     * @param charges the estimates
     */
    QuotaDecision reserve(IdempotencyKey key, Duration ttl, List<Charge> charges);

    /** Puts one charge aside; see {@link #reserve(IdempotencyKey, Duration, List)}. */
    default QuotaDecision reserve(IdempotencyKey key, Duration ttl, Charge charge) {
        return reserve(key, ttl, List.of(charge));
    }

    /**
     * Ends a reservation with what it really cost, in the period that it was made in. Less than was put aside frees the difference; more
     * charges the difference as far as credit, cap and {@linkplain Quota#debt debt} have room, and {@link Balance#uncovered} says how much found none. After
     * the reservation has expired all of it is charged in that way, once. Asked again with the same amounts it moves nothing.
     *
     * <p>Throws {@link IdempotencyConflictException} if it was released, or settled with other amounts, and {@link UnknownOperationException} if there is no such
     * reservation.
     *
     * @param reservation what was put aside
     * @param actual what it cost, of the same quotas and keys
     */
    QuotaDecision settle(Reservation reservation, List<Charge> actual);

    /** Settles with the same amount for each of its charges, such as the tokens of one call that count for a user and a team. */
    default QuotaDecision settle(Reservation reservation, long actual) {
        return settle(
                reservation,
                reservation.charges().stream()
                        .map(each -> each.withAmount(actual))
                        .toList());
    }

    /**
     * Ends a reservation that cost nothing. Asked again, or once it has expired, it moves nothing. Throws {@link IdempotencyConflictException} if it was settled, and
     * {@link UnknownOperationException} if there is no such reservation.
     */
    QuotaDecision release(Reservation reservation);

    /**
     * Keeps a reservation until {@code expiresAt}, never shorter than it was kept before. Denied if it has expired: its permits may be somebody
     * else's. Throws {@link IdempotencyConflictException} if it was settled or released, and {@link UnknownOperationException} if there is none.
     */
    QuotaDecision extend(Reservation reservation, Instant expiresAt);

    /**
     * Gives back part of a spend, or all of it, to the period and the credit that it was taken from; never to a later period. More than was spent in
     * total, less what was given back before, is {@link io.weir.algorithm.Verdict#NEVER}, and moves nothing. Throws {@link UnknownOperationException} if there is no such spend.
     *
     * @param key what makes this the same refund when it is asked again; not the spend's
     * @param spend the key of the spend
     * @param amounts how much goes back, to which of the spend's quotas and keys
     */
    QuotaDecision refund(IdempotencyKey key, IdempotencyKey spend, List<Charge> amounts);

    /** How a key stands now. Locks nothing. */
    Balance peek(Quota quota, String key);

    /**
     * Gives a key more than its cap, in whatever period: it is used before the cap is, until it expires.
     *
     * @param grant what makes this the same credit when it is asked again
     * @param amount how much, and of which quota and key
     * @param expiresAt the instant from which on it is worth nothing
     */
    QuotaDecision grantCredit(IdempotencyKey grant, Charge amount, Instant expiresAt);

    /**
     * Gives a key a cap of its own, at once and until further notice, whatever it has spent.
     *
     * @param change what makes this the same change when it is asked again: it does not undo a later one
     * @param cap from 0
     */
    QuotaDecision setCap(IdempotencyKey change, Quota quota, String key, long cap);

    /**
     * Gives a key the quota's cap again.
     *
     * @param change as of {@link #setCap}
     */
    QuotaDecision removeCap(IdempotencyKey change, Quota quota, String key);
}
