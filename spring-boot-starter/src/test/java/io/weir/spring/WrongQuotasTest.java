package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import io.weir.quota.Period;
import io.weir.quota.Quota;
import io.weir.quota.QuotaLedger;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.MonthDay;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** Quotas as they are written; and each mistake stops the start with one message that says what to write instead. */
class WrongQuotasTest {

    @TempDir
    private Path folder;

    private YamlApplication application;

    @BeforeEach
    void inItsOwnFolder() {
        application = new YamlApplication(folder);
    }

    private String failureOfQuota(String... lines) {
        return application.failureOf(yaml(lines), Database.class);
    }

    private static String yaml(String... lines) {
        return "weir:\n  quota:\n    schema: create\n  quotas:\n    tokens:\n      " + String.join("\n      ", lines)
                + "\n";
    }

    @Test
    void readsQuotas() {
        try (ConfigurableApplicationContext context = application.start("""
                weir:
                  quota:
                    schema: create
                  quotas:
                    tokens: {cap: 1000000, unit: tokens, period: month, zone: Europe/Berlin, anchor: 31, debt: 5000}
                    "[mails.out]": {cap: 0, period: week, zone: UTC, anchor: sunday, failure-policy: grant}
                    calls: {cap: 5, period: year, zone: UTC, anchor: "04-01"}
                    pings: {cap: 5, period: hour, zone: UTC}
                    days: {cap: 5, period: day, zone: UTC}
                """, Database.class)) {
            ZoneId utc = ZoneId.of("UTC");
            Quotas quotas = context.getBean(Quotas.class);
            assertThat(quotas.named("tokens"))
                    .isEqualTo(Quota.named("tokens")
                            .cap(1_000_000)
                            .unit("tokens")
                            .period(Period.month(ZoneId.of("Europe/Berlin"), 31))
                            .debt(5_000)
                            .build());
            assertThat(quotas.named("mails.out").period()).isEqualTo(Period.week(utc, DayOfWeek.SUNDAY));
            assertThat(quotas.named("mails.out").failurePolicy()).isEqualTo(FailurePolicy.GRANT);
            assertThat(quotas.named("calls").period()).isEqualTo(Period.year(utc, MonthDay.of(4, 1)));
            assertThat(quotas.all())
                    .extracting(Quota::name)
                    .containsExactly("tokens", "mails.out", "calls", "pings", "days");
            assertThat(context.getBean(QuotaLedger.class)
                            .peek(quotas.named("tokens"), "ann")
                            .remaining())
                    .isEqualTo(1_000_000);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "period: day|zone: UTC|unit: x|cap (|this is missing|as in cap: 1000000",
                "cap: 1|zone: UTC|unit: x|period (|this is missing|hour, day, week, month or year",
                "cap: 1|period: day|unit: x|zone (|this is missing|as in zone: Europe/Berlin",
                "cap: -1|period: day|zone: UTC|cap is \"-1\" (|- 6:12)|zero or more",
                "cap: lots|period: day|zone: UTC|cap is \"lots\" (|cannot be read|zero or more",
                "cap: 1|period: fortnight|zone: UTC|period is \"fortnight\" (|cannot be read|hour, day, week",
                "cap: 1|period: day|zone: Mars|zone is \"Mars\" (|cannot be read|Europe/Berlin",
                "anchor: 3|'cap: 1\n      period: day'|zone: UTC|anchor is \"3\" (|has no anchor|of a month 1 to 31",
                "anchor: 32|'cap: 1\n      period: month'|zone: UTC|anchor is \"32\" (|1 to 31|of a month 1 to 31",
                "anchor: someday|'cap: 1\n      period: week'|zone: UTC|anchor is \"someday\" (|- 6:15)|monday",
                "anchor: 02-30|'cap: 1\n      period: year'|zone: UTC|anchor is \"02-30\" (|no month and day|04-01",
                "debt: -1|'cap: 1\n      period: day'|zone: UTC|debt is \"-1\" (|- 6:13)|zero or more",
                "debt: 9223372036854775807|'cap: 1\n      period: day'|zone: UTC|debt is \"9223372036854775807\" (|- 6:13)|debt: 5000",
                "failure-policy: local-share|'cap: 1\n      period: day'|zone: UTC|failure-policy is \"local-share\" (|LOCAL_SHARE|Write deny",
            })
    void namesTheLineToChange(String one, String two, String three, String starts, String reason, String advice) {
        assertThat(failureOfQuota(one, two, three))
                .startsWith("weir.quotas.tokens." + starts)
                .contains(reason)
                .contains(advice);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "keep-keys: 10s|weir.quota.keep-keys is \"10s\" (|at least a minute|as in keep-keys: 30d",
                "keep-periods: 1d|weir.quota.keep-periods is \"1d\" (|at least as long as operations|from keep-keys up",
                "clean-up-every: -1s|weir.quota.clean-up-every is \"-1s\" (|0 or more|0 is never",
            })
    void namesTheLineToChangeOfTheLedger(String line, String starts, String reason, String advice) {
        assertThat(application.failureOf(
                        "weir:\n  quota:\n    " + line + "\n  quotas:\n    a: {cap: 1, period: day, zone: UTC}\n",
                        Database.class))
                .startsWith(starts)
                .contains(reason)
                .contains(advice);
    }

    @Test
    void nameIsNoneThatADatabaseKeeps() {
        assertThat(application.failureOf("""
                weir:
                  quotas:
                    "[a b]": {cap: 1, period: day, zone: UTC}
                """, Database.class))
                .startsWith("weir.quotas[a b]")
                .contains("Choose another name for the quota.");
        assertThat(application.failureOf("""
                weir:
                  quotas:
                    mails.out: {cap: 1, period: day, zone: UTC}
                """, Database.class)).contains("weir.quotas.mails");
    }

    @Test
    void thereIsNoDatabase() {
        assertThat(application.failureOf(yaml("cap: 1", "period: day", "zone: UTC")))
                .startsWith("Quotas are kept in a database, and there is no bean of type DataSource.")
                .contains("spring-boot-starter-jdbc")
                .contains("spring.datasource.url");
    }

    @Test
    void thereAreSeveralDatabases() {
        String quota = "\n  quotas:\n    tokens: {cap: 1, period: day, zone: UTC}\n";

        assertThat(application.failureOf("weir:" + quota, TwoDatabases.class))
                .contains("several beans of type DataSource: [first, second]")
                .contains("weir.quota.data-source");
        assertThat(application.failureOf("weir:\n  quota: {data-source: third}" + quota, TwoDatabases.class))
                .startsWith("weir.quota.data-source is \"third\" (")
                .contains("only [first, second]");
        application
                .start("weir:\n  quota: {data-source: second, schema: create}" + quota, TwoDatabases.class)
                .close();
    }

    @Test
    void thereAreNoTables() {
        assertThat(application.failureOf("""
                weir:
                  quotas:
                    tokens: {cap: 1, period: day, zone: UTC}
                """, Database.class))
                .startsWith("Table weir_quota_account of quotas cannot be read: ")
                .contains("Add classpath:io/weir/quota/h2 to spring.flyway.locations")
                .contains("V1__weir_quota.sql")
                .contains("weir.quota.schema to create");
    }

    @Test
    void doesNotLookForTablesIfItIsTold() {
        application.start("""
                weir:
                  quota: {schema: none}
                  quotas:
                    tokens: {cap: 1, period: day, zone: UTC}
                """, Database.class).close();
    }

    /** A second start finds the tables of the first. */
    @Test
    void createsTablesOnce() {
        DataSource dataSource = MemoryDatabase.create();

        new QuotaSchema(dataSource).require(LedgerProperties.Schema.CREATE);
        new QuotaSchema(dataSource).require(LedgerProperties.Schema.CREATE);

        new QuotaSchema(dataSource).require(LedgerProperties.Schema.VALIDATE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "deadline: 0s|weir.quota.deadline is \"0s\" (",
                "workers: 0|weir.quota.workers is \"0\" (",
                "hold: 2d|weir.quota.hold is \"2d\" (",
                "schema: drop|weir.quota.schema is \"drop\" ("
            })
    void ledgerIsWrong(String line, String starts) {
        assertThat(application.failureOf(
                        "weir:\n  quota: {" + line + "}\n  quotas:\n    tokens: {cap: 1, period: day, zone: UTC}\n",
                        Database.class))
                .startsWith(starts)
                .doesNotContain(Advice.NONE);
    }

    private final ApplicationContextRunner plain = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(WeirQuotaAutoConfiguration.class))
            .withClassLoader(new FilteredClassLoader("io.weir.quota"));

    @Test
    void whatKeepsThemIsMissing() {
        plain.withPropertyValues("weir.quotas.tokens.cap=1")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOfSatisfying(
                                Misconfiguration.class,
                                failure -> assertThat(failure.action()).contains("Add io.weir:quota-jdbc.")));
    }

    @Test
    void nothingHappensWithoutQuotas() {
        plain.run(context -> assertThat(context).hasNotFailed());
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(WeirQuotaAutoConfiguration.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(QuotaLedger.class)
                        .doesNotHaveBean(Quotas.class));
    }

    @Test
    void endpointShowsWhenQuotasReset() {
        QuotaLedger ledger = QuotaLedger.over(MemoryDatabase.create()).build();
        Quotas quotas = new Quotas(List.of(Quota.named("tokens")
                .cap(5)
                .period(Period.month(ZoneOffset.UTC))
                .build()));
        WeirQuotasEndpoint endpoint =
                new WeirQuotasEndpoint(ledger, quotas, () -> Instant.parse("2027-02-03T04:05:06Z"));

        assertThat(endpoint.overview())
                .containsExactly(new WeirQuotasEndpoint.QuotaView(
                        "tokens", 5, "units", "MONTH", "Z", 0, "DENY", "2027-03-01T00:00:00Z"));
        assertThat(endpoint.balance("unknown", "ann")).isNull();
        ledger.close();
    }

    static class Database {
        @Bean
        DataSource dataSource() {
            return MemoryDatabase.create();
        }
    }

    static class TwoDatabases {
        @Bean
        DataSource first() {
            return MemoryDatabase.create();
        }

        @Bean
        DataSource second() {
            return MemoryDatabase.create();
        }
    }
}
