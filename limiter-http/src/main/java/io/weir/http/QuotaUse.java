package io.weir.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;

/**
 * What a request of a {@link Route} takes of quotas, once its limits have granted it.
 *
 * <pre>{@code
 * Route.limitedBy("per-user", "/v1/chat", KeyResolver.principal())
 *         .spending(QuotaUse.of("tokens", KeyResolver.principal()).and("company", KeyResolver.fixed("all")).amount(2000).estimated())
 * }</pre>
 *
 * <p>Each method that configures gives one that differs in this one thing. Immutable and thread-safe.
 */
public final class QuotaUse {

    /** The most quotas that can be asked together: as many as a step of the ledger has charges. */
    private static final int MOST = 16;

    /** One of the quotas, and who pays. */
    record Payer(String quota, KeyResolver key) {
        Payer {
            Objects.requireNonNull(quota, "quota");
            Objects.requireNonNull(key, "key");
        }
    }

    private final List<Payer> payers;
    private final ToLongFunction<IncomingRequest> amount;
    private final boolean estimate;
    private final boolean refundedOnFailure;
    private final IdempotencyKeys idempotencyKeys;

    private QuotaUse(
            List<Payer> payers,
            ToLongFunction<IncomingRequest> amount,
            boolean estimate,
            boolean refundedOnFailure,
            IdempotencyKeys idempotencyKeys) {
        this.payers = payers;
        this.amount = Objects.requireNonNull(amount, "amount");
        this.estimate = estimate;
        this.refundedOnFailure = refundedOnFailure;
        this.idempotencyKeys = Objects.requireNonNull(idempotencyKeys, "idempotencyKeys");
        if (hearsIdempotencyKeys() && (estimate || refundedOnFailure)) {
            // Else a client makes its request fail, gets all back, and has it done under the same key for nothing.
            throw new IllegalArgumentException("quota \"" + payers.get(0).quota() + "\" can be given back, "
                    + (estimate ? "since it is estimated" : "since it is refunded on failure")
                    + ", and a request that is sent again under its Idempotency-Key would never pay: have its idempotency keys"
                    + " IGNORED, but are " + idempotencyKeys);
        }
    }

    /** Takes 1 of a quota: spends it, whatever becomes of the request, and hears no idempotency keys. */
    public static QuotaUse of(String quota, KeyResolver key) {
        return new QuotaUse(List.of(new Payer(quota, key)), request -> 1, false, false, IdempotencyKeys.IGNORED);
    }

    /**
     * The same amount of another quota, in the same step: of all of them, or of none.
     *
     * @throws IllegalArgumentException if there are more than 16
     */
    public QuotaUse and(String quota, KeyResolver key) {
        if (payers.size() == MOST) {
            throw new IllegalArgumentException(
                    "quota \"" + quota + "\" is one more than the " + MOST + " that can be asked together; name fewer");
        }
        List<Payer> all = new ArrayList<>(payers);
        all.add(new Payer(quota, key));
        return new QuotaUse(List.copyOf(all), amount, estimate, refundedOnFailure, idempotencyKeys);
    }

    /**
     * How much, in the smallest unit of each quota; 1 if not called.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public QuotaUse amount(long value) {
        if (value < 1) {
            throw new IllegalArgumentException(
                    "amount of quota \"" + payers.get(0).quota() + "\" must be 1 or more but is " + value
                            + "; leave the quota out of routes that cost nothing");
        }
        return new QuotaUse(payers, request -> value, estimate, refundedOnFailure, idempotencyKeys);
    }

    /**
     * How much each request takes by itself, such as what a field says of it. What the client says is not to be trusted: have a least and a most.
     *
     * @param value from 0; with 0 the quotas are not asked. Called on the thread of the request, and must not wait. A request that it says less of fails
     */
    public QuotaUse amountOf(ToLongFunction<IncomingRequest> value) {
        return new QuotaUse(payers, value, estimate, refundedOnFailure, idempotencyKeys);
    }

    /**
     * Puts the amount aside, for the handler to {@linkplain QuotaCharge#settle settle}; see {@link QuotaCharge#end} for what happens if it does not.
     *
     * @throws IllegalArgumentException if idempotency keys are heard: who repeats a request whose estimate was released would not pay
     */
    public QuotaUse estimated() {
        return new QuotaUse(payers, amount, true, refundedOnFailure, idempotencyKeys);
    }

    /**
     * Gives a spend back if the request fails: a status from 500, an exception, a time-out, or a client that is gone. An estimate always is.
     *
     * @throws IllegalArgumentException if idempotency keys are heard, as of {@link #estimated}
     */
    public QuotaUse refundedOnFailure() {
        return new QuotaUse(payers, amount, estimate, true, idempotencyKeys);
    }

    /**
     * Whether clients say which requests are the same; {@link IdempotencyKeys#IGNORED} if not called.
     *
     * @throws IllegalArgumentException if they are heard, and the amount is {@linkplain #estimated estimated} or {@linkplain
     *     #refundedOnFailure refunded}
     */
    public QuotaUse idempotencyKeys(IdempotencyKeys value) {
        return new QuotaUse(payers, amount, estimate, refundedOnFailure, value);
    }

    List<Payer> payers() {
        return payers;
    }

    boolean isRefundedOnFailure() {
        return refundedOnFailure;
    }

    IdempotencyKeys idempotencyKeys() {
        return idempotencyKeys;
    }

    boolean hearsIdempotencyKeys() {
        return idempotencyKeys != IdempotencyKeys.IGNORED;
    }

    boolean isEstimate() {
        return estimate;
    }

    boolean needsAuthentication() {
        return payers.stream().anyMatch(each -> each.key().needsAuthentication());
    }

    /** What {@code request} takes; from 0. */
    long amountOf(IncomingRequest request) {
        long value = amount.applyAsLong(request);
        if (value < 0) {
            throw new IllegalArgumentException(
                    "amount of quota \"" + payers.get(0).quota() + "\" must be 0 or more but is " + value);
        }
        return value;
    }

    List<String> quotas() {
        return payers.stream().map(Payer::quota).distinct().toList();
    }
}
