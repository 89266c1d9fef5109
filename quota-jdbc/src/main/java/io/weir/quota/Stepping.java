package io.weir.quota;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Which {@link Step} each operation is; how a step is done differs. */
abstract sealed class Stepping implements QuotaOperations permits QuotaLedger, OnConnection {

    /** Takes of quotas: a failure policy may answer this, where there is one. */
    abstract QuotaDecision take(Step step);

    /** Does what no policy can answer. */
    abstract QuotaDecision certain(Step step);

    @Override
    public QuotaDecision spend(IdempotencyKey key, List<Charge> charges) {
        return take(Step.of(Step.Kind.SPEND, key, charges));
    }

    @Override
    public QuotaDecision reserve(IdempotencyKey key, Duration ttl, List<Charge> charges) {
        return take(Step.reserve(key, ttl, charges));
    }

    @Override
    public QuotaDecision settle(Reservation reservation, List<Charge> actual) {
        return certain(Step.settle(reservation, actual));
    }

    @Override
    public QuotaDecision release(Reservation reservation) {
        return certain(Step.of(Step.Kind.RELEASE, reservation.key(), reservation.charges()));
    }

    @Override
    public QuotaDecision extend(Reservation reservation, Instant expiresAt) {
        return certain(Step.until(Step.Kind.EXTEND, reservation.key(), reservation.charges(), expiresAt));
    }

    @Override
    public QuotaDecision refund(IdempotencyKey key, IdempotencyKey spend, List<Charge> amounts) {
        return certain(Step.refund(key, spend, amounts));
    }

    @Override
    public QuotaDecision grantCredit(IdempotencyKey grant, Charge amount, Instant expiresAt) {
        return certain(Step.until(Step.Kind.CREDIT, grant, List.of(amount), expiresAt));
    }

    @Override
    public QuotaDecision setCap(IdempotencyKey change, Quota quota, String key, long cap) {
        return certain(Step.of(Step.Kind.SET_CAP, change, List.of(new Charge(quota, key, Amounts.check("cap", cap)))));
    }

    @Override
    public QuotaDecision removeCap(IdempotencyKey change, Quota quota, String key) {
        return certain(Step.of(Step.Kind.REMOVE_CAP, change, List.of(new Charge(quota, key, 0))));
    }
}
