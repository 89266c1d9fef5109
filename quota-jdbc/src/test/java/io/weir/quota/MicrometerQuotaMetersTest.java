package io.weir.quota;

import static io.weir.quota.IdempotencyKey.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.FailurePolicy;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class MicrometerQuotaMetersTest {

    private static final Quota SHUT =
            Quota.named("shut").cap(10).period(Period.day(ZoneId.of("UTC"))).build();
    private static final Quota OPEN = Quota.named("open")
            .cap(10)
            .period(Period.day(ZoneId.of("UTC")))
            .onFailure(FailurePolicy.GRANT)
            .build();

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private double count(Quota quota, String outcome) {
        return registry.get("weir.quota.spend")
                .tag("quota", quota.name())
                .tag("outcome", outcome)
                .counter()
                .count();
    }

    private Set<String> names() {
        return registry.getMeters().stream()
                .map(each -> each.getId().getName() + " "
                        + each.getId().getTags().stream().map(Tag::toString).toList())
                .collect(Collectors.toSet());
    }

    @Test
    void countsEachOutcomeUnderConstantNamesWhoeverAsks() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.newH2(), 2)) {
            QuotaLedger ledger = QuotaLedger.over(pool)
                    .deadline(Duration.ofSeconds(20))
                    .meters(MicrometerQuotaMeters.in(registry))
                    .build();
            ledger.spend(IdempotencyKey.of("k"), new Charge(SHUT, "ann", 10));
            ledger.spend(IdempotencyKey.of("k"), new Charge(SHUT, "ann", 10));
            ledger.spend(fresh(), new Charge(SHUT, "ann", 1));
            ledger.spend(fresh(), new Charge(SHUT, "ann", 11));
            ledger.reserve(fresh(), Duration.ofMinutes(1), new Charge(OPEN, "ann", 1));
            Set<String> names = names();
            assertThat(names)
                    .hasSize(2 + 2 * 6)
                    .contains(
                            "weir.quota.store.call [tag(outcome=answered)]",
                            "weir.quota.store.call [tag(outcome=unavailable)]",
                            "weir.quota.spend [tag(outcome=granted), tag(quota=shut)]",
                            "weir.quota.spend [tag(outcome=policy_denied), tag(quota=open)]");
            for (int i = 0; i < 50; i++) {
                ledger.spend(fresh(), new Charge(SHUT, "somebody" + i, 1));
            }
            ledger.close();
            ledger.spend(fresh(), new Charge(SHUT, "bob", 1));
            ledger.spend(fresh(), new Charge(OPEN, "ann", 1));
            assertThat(names()).as("no tag says who asks").isEqualTo(names);
            assertThat(registry.getMeters())
                    .allSatisfy(each -> assertThat(each.getId().getType()).isIn(Meter.Type.COUNTER, Meter.Type.TIMER));
        }
        assertThat(count(SHUT, "granted")).isEqualTo(51);
        assertThat(count(SHUT, "replayed")).isEqualTo(1);
        assertThat(count(SHUT, "denied")).isEqualTo(1);
        assertThat(count(SHUT, "never")).isEqualTo(1);
        assertThat(count(OPEN, "granted")).isEqualTo(1);
        assertThat(count(SHUT, "policy_denied")).isEqualTo(1);
        assertThat(count(OPEN, "policy_granted")).isEqualTo(1);
        assertThat(registry.get("weir.quota.store.call")
                        .tag("outcome", "answered")
                        .timer()
                        .count())
                .isGreaterThanOrEqualTo(53);
        assertThat(registry.get("weir.quota.store.call")
                        .tag("outcome", "unavailable")
                        .timer()
                        .count())
                .isPositive();
    }
}
