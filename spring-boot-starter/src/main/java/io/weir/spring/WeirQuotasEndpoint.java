package io.weir.spring;

import io.weir.quota.Balance;
import io.weir.quota.Quota;
import io.weir.quota.QuotaOperations;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** The actuator endpoint {@code weirquotas}: which quotas there are, when they reset, and how a key stands. Changes nothing. */
@Endpoint(id = "weirquotas")
final class WeirQuotasEndpoint {

    private final QuotaOperations ledger;
    private final Quotas quotas;
    private final InstantSource clock;

    /** @param clock by which the overview tells resets; balances go by the ledger's */
    WeirQuotasEndpoint(QuotaOperations ledger, Quotas quotas, InstantSource clock) {
        this.ledger = ledger;
        this.quotas = quotas;
        this.clock = clock;
    }

    @ReadOperation
    List<QuotaView> overview() {
        return quotas.all().stream().map(each -> QuotaView.of(each, clock)).toList();
    }

    /** One key, by a look into the database; null, which is answered with 404, if there is no such quota. */
    @ReadOperation
    @Nullable
    BalanceView balance(@Selector String name, @Selector String key) {
        return quotas.all().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .map(each -> BalanceView.of(ledger.peek(each, key)))
                .orElse(null);
    }

    /** One quota. */
    record QuotaView(
            String name,
            long cap,
            String unit,
            String period,
            String zone,
            long debt,
            String failurePolicy,
            String resetsAt) {

        static QuotaView of(Quota quota, InstantSource clock) {
            return new QuotaView(
                    quota.name(),
                    quota.cap(),
                    quota.unit(),
                    quota.period().unit().name(),
                    quota.period().zone().getId(),
                    quota.debt(),
                    quota.failurePolicy().name(),
                    quota.period().windowAt(clock.instant()).end().toString());
        }
    }

    /** One key. */
    record BalanceView(long cap, long spent, long reserved, long credit, long remaining, String resetsAt) {

        static BalanceView of(Balance balance) {
            return new BalanceView(
                    balance.cap(),
                    balance.spent(),
                    balance.reserved(),
                    balance.credit(),
                    balance.remaining(),
                    balance.window().end().toString());
        }
    }
}
