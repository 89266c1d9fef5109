package io.weir.spring;

import io.weir.algorithm.Verdict;
import io.weir.http.HttpQuotas;
import io.weir.http.QuotaAnswer;
import io.weir.http.QuotaHold;
import io.weir.http.QuotaRequest;
import io.weir.quota.AmountOverflowException;
import io.weir.quota.Charge;
import io.weir.quota.IdempotencyConflictException;
import io.weir.quota.IdempotencyKey;
import io.weir.quota.QuotaDecision;
import io.weir.quota.QuotaOperations;
import io.weir.quota.Reservation;
import io.weir.quota.UnknownOperationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Quotas of HTTP requests in a ledger. */
final class LedgerQuotas implements HttpQuotas {

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofDays(1);

    private final QuotaOperations ledger;
    private final Quotas quotas;
    private final Duration hold;
    private final Uncharged uncharged = new Uncharged();

    /** @param hold for how long estimates are put aside */
    LedgerQuotas(QuotaOperations ledger, Quotas quotas, Duration hold) {
        if (hold.compareTo(SHORTEST) < 0 || hold.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("hold must be 1 s to a day but is " + hold);
        }
        this.ledger = ledger;
        this.quotas = quotas;
        this.hold = hold;
    }

    @Override
    public QuotaAnswer take(QuotaRequest request) {
        String given = request.idempotencyKey();
        IdempotencyKey key = given == null ? IdempotencyKey.fresh() : IdempotencyKey.of(given);
        Map<QuotaRequest.Part, Integer> parts = new LinkedHashMap<>();
        request.parts().forEach(each -> parts.merge(each, 1, Integer::sum));
        try {
            List<Charge> charges = charges(parts, request.amount());
            QuotaDecision decision =
                    request.estimate() ? ledger.reserve(key, hold, charges) : ledger.spend(key, charges);
            if (decision.source() != QuotaDecision.Source.POLICY) {
                uncharged.tell();
            }
            return decision.isGranted()
                    ? new QuotaAnswer.Granted(hold(request, key, parts, charges, decision), decision.isReplay())
                    : denied(decision);
        } catch (IdempotencyConflictException e) {
            return new QuotaAnswer.Conflict();
        } catch (AmountOverflowException e) {
            return new QuotaAnswer.Never(request.quotas());
        }
    }

    /** Two parts may be of one quota and key: a charge for the sum. */
    private List<Charge> charges(Map<QuotaRequest.Part, Integer> parts, long amount) {
        List<Charge> charges = new ArrayList<>(parts.size());
        parts.forEach((part, times) -> {
            long sum = times > Long.MAX_VALUE / Math.max(1, amount) ? Long.MAX_VALUE : times * amount;
            charges.add(new Charge(quotas.named(part.quota()), part.key(), sum));
        });
        return charges;
    }

    private static QuotaAnswer denied(QuotaDecision decision) {
        List<String> names = decision.denied().stream()
                .map(each -> each.quota().name())
                .distinct()
                .toList();
        if (decision.source() == QuotaDecision.Source.POLICY) {
            return new QuotaAnswer.Unavailable();
        }
        return decision.verdict() == Verdict.NEVER
                ? new QuotaAnswer.Never(names)
                : new QuotaAnswer.Exhausted(names, decision.resetsAt().orElse(null));
    }

    private QuotaHold hold(
            QuotaRequest request,
            IdempotencyKey key,
            Map<QuotaRequest.Part, Integer> parts,
            List<Charge> charges,
            QuotaDecision decision) {
        if (!request.estimate()) {
            return new Spent(key, charges);
        }
        Reservation reservation = decision.reservation().orElse(null);
        return reservation == null ? new Unreserved(parts) : new Reserved(reservation, parts);
    }

    /** What was spent. */
    private final class Spent implements QuotaHold {
        private final IdempotencyKey refund =
                IdempotencyKey.of(IdempotencyKey.fresh().text());
        private final IdempotencyKey spend;
        private final List<Charge> charges;

        Spent(IdempotencyKey spend, List<Charge> charges) {
            this.spend = spend;
            this.charges = charges;
        }

        @Override
        public void settle(long actual) {
            throw new UnsupportedOperationException("what was spent is no estimate");
        }

        @Override
        public void release() {
            try {
                ledger.refund(refund, spend, charges);
            } catch (UnknownOperationException e) {
                // The failure policy let it pass, and nothing was spent.
            }
        }
    }

    /** What was put aside. */
    private final class Reserved implements QuotaHold {
        private final Reservation reservation;
        private final Map<QuotaRequest.Part, Integer> parts;

        Reserved(Reservation reservation, Map<QuotaRequest.Part, Integer> parts) {
            this.reservation = reservation;
            this.parts = parts;
        }

        @Override
        public void settle(long actual) {
            ledger.settle(reservation, charges(parts, actual));
        }

        @Override
        public void release() {
            ledger.release(reservation);
        }
    }

    /**
     * What the failure policy let pass: nothing was put aside. What it cost is charged as that of any estimate is, as far as cap and debt have room, by
     * a reservation of nothing that is settled.
     */
    private final class Unreserved implements QuotaHold {
        private final IdempotencyKey late =
                IdempotencyKey.of(IdempotencyKey.fresh().text());
        private final Map<QuotaRequest.Part, Integer> parts;

        Unreserved(Map<QuotaRequest.Part, Integer> parts) {
            this.parts = parts;
        }

        @Override
        public void settle(long actual) {
            Reservation nothing =
                    ledger.reserve(late, hold, charges(parts, 0)).reservation().orElse(null);
            if (nothing == null) { // still away: a policy that lets requests pass must not have them fail here
                uncharged.add(actual);
                return;
            }
            ledger.settle(nothing, charges(parts, actual));
        }

        @Override
        public void release() {}
    }
}
