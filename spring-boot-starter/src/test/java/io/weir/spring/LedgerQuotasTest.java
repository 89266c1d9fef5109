package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import io.weir.http.QuotaAnswer;
import io.weir.http.QuotaHold;
import io.weir.http.QuotaRequest;
import io.weir.quota.Balance;
import io.weir.quota.Charge;
import io.weir.quota.IdempotencyKey;
import io.weir.quota.Period;
import io.weir.quota.Quota;
import io.weir.quota.QuotaLedger;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Estimates that the failure policy let pass: they cost what they cost, once the database is back. */
class LedgerQuotasTest {

    private static final Quota TOKENS = Quota.named("tokens")
            .cap(1_000)
            .debt(500)
            .period(Period.month(ZoneOffset.UTC))
            .onFailure(FailurePolicy.GRANT)
            .build();
    private static final QuotaRequest ESTIMATE =
            new QuotaRequest(List.of(new QuotaRequest.Part("tokens", "ann")), 50, true, null);

    private volatile boolean cut;
    private final DataSource database = MemoryDatabase.unreachableWhile(() -> cut, MemoryDatabase.create());
    private final QuotaLedger ledger = QuotaLedger.over(database).build();
    private final LedgerQuotas quotas = new LedgerQuotas(ledger, new Quotas(List.of(TOKENS)), Duration.ofMinutes(1));

    @BeforeEach
    void create() throws Exception {
        new QuotaSchema(database).require(LedgerProperties.Schema.CREATE);
        ledger.spend(IdempotencyKey.fresh(), new Charge(TOKENS, "ann", 900));
    }

    @AfterEach
    void close() {
        ledger.close();
    }

    private QuotaHold letPass() {
        cut = true;
        QuotaHold hold = ((QuotaAnswer.Granted) quotas.take(ESTIMATE)).hold();
        cut = false;
        return hold;
    }

    @Test
    void chargesAsAnyEstimateWhatThePolicyLetPassAndOnce() {
        QuotaHold hold = letPass();

        hold.settle(200);
        hold.settle(200);

        Balance balance = ledger.peek(TOKENS, "ann");
        assertThat(balance.spent()).isEqualTo(1_100);
        assertThat(balance.reserved()).isZero();
    }

    @Test
    void chargesNobodyWhileTheDatabaseIsStillAwayAndSaysHowMuchThatWas() {
        QuotaHold hold = letPass();
        cut = true;
        hold.settle(200);
        cut = false;

        try (Logged log = new Logged(LedgerQuotas.class)) {
            quotas.take(ESTIMATE);
            quotas.take(ESTIMATE);
            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    .contains("1 requests that their policy let pass cost 200");
        }
        assertThat(ledger.peek(TOKENS, "ann").spent()).isEqualTo(900);
    }
}
