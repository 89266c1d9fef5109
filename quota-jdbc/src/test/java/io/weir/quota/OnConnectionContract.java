package io.weir.quota;

import static io.weir.quota.IdempotencyKey.fresh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Properties;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is done on a connection of the caller's. */
abstract class OnConnectionContract {

    private static final Quota QUOTA =
            Quota.named("q").cap(100).period(Period.day(ZoneId.of("UTC"))).build();
    private static final Charge TEN = new Charge(QUOTA, "ann", 10);

    private String url;
    private HikariDataSource pool;
    private QuotaLedger ledger;

    abstract String newDatabase();

    /** Sets the time zone of a session. */
    abstract String setTimeZone(String zone);

    @BeforeEach
    void open() throws SQLException {
        url = newDatabase();
        pool = TestDatabase.pool(url, 4);
        ledger = QuotaLedger.over(pool).deadline(Duration.ofSeconds(30)).build();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE effect (name VARCHAR(20))");
        }
    }

    @AfterEach
    void close() {
        ledger.close();
        pool.close();
    }

    Connection connection() throws SQLException {
        Properties properties = new Properties();
        if (url.startsWith("jdbc:h2")) {
            properties.put("user", "sa");
        }
        return DriverManager.getConnection(url, properties);
    }

    @Test
    void commitsSpendAndEffectTogetherOrNotAtAll() throws SQLException {
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("INSERT INTO effect VALUES ('sent')");
            assertThat(ledger.on(connection).spend(IdempotencyKey.of("k"), TEN).isGranted())
                    .isTrue();
            assertThat(ledger.on(connection).peek(QUOTA, "ann").spent()).isEqualTo(10);
            connection.rollback();
            assertThat(ledger.peek(QUOTA, "ann").spent()).isZero();
            assertThat(TestDatabase.number(pool, "SELECT count(*) FROM effect")).isZero();
            statement.execute("INSERT INTO effect VALUES ('sent')");
            assertThat(ledger.on(connection).spend(IdempotencyKey.of("k"), TEN).isReplay())
                    .isFalse();
            connection.commit();
        }
        assertThat(ledger.peek(QUOTA, "ann").spent()).isEqualTo(10);
        assertThat(TestDatabase.number(pool, "SELECT count(*) FROM effect")).isEqualTo(1);
        assertThat(ledger.verify()).isEmpty();
    }

    @Test
    void leavesTheConnectionAsItWas() throws SQLException {
        for (int isolation : List.of(
                Connection.TRANSACTION_READ_COMMITTED,
                Connection.TRANSACTION_REPEATABLE_READ,
                Connection.TRANSACTION_SERIALIZABLE)) {
            try (Connection connection = connection()) {
                connection.setAutoCommit(false);
                connection.setTransactionIsolation(isolation);
                ledger.on(connection).spend(fresh(), TEN);
                assertThat(connection.getAutoCommit()).isFalse();
                assertThat(connection.getTransactionIsolation()).isEqualTo(isolation);
                assertThat(connection.isClosed()).isFalse();
                connection.rollback();
            }
        }
    }

    @Test
    void refusesAConnectionThatCommitsByItself() throws SQLException {
        try (Connection connection = connection()) {
            assertThatThrownBy(() -> ledger.on(connection).spend(fresh(), TEN))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("auto-commit");
            assertThat(connection.getAutoCommit()).isTrue();
        }
        assertThat(ledger.peek(QUOTA, "ann").spent()).isZero();
    }

    @Test
    void takesTheLedgersOwnConnectionsAsTheyComeAndGivesThemBackSo() throws SQLException {
        Connection only = connection();
        for (boolean committing : List.of(true, false)) {
            only.setAutoCommit(committing);
            only.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            try (QuotaLedger other = QuotaLedger.over(new OneConnection(only))
                    .deadline(Duration.ofSeconds(30))
                    .build()) {
                assertThat(other.spend(fresh(), TEN).isGranted()).isTrue();
                assertThat(other.spend(fresh(), TEN.withAmount(99)).isGranted()).isFalse();
            }
            assertThat(only.getAutoCommit()).isEqualTo(committing);
            assertThat(only.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
        }
        only.close();
        assertThat(ledger.peek(QUOTA, "ann").spent()).isEqualTo(20);
    }

    /** K-12: three time zones of the JVM times three of the session. */
    @Test
    void resetsAtTheInstantWhateverTheZonesOfJvmAndSession() throws SQLException {
        Quota tokyo = Quota.named("tokyo")
                .cap(10)
                .period(Period.month(ZoneId.of("Asia/Tokyo")))
                .build();
        Instant reset = Instant.parse("2026-07-31T15:00:00Z");
        SettableClock clock = new SettableClock(reset);
        TimeZone before = TimeZone.getDefault();
        try (QuotaLedger clocked = QuotaLedger.over(pool).clock(clock).build()) {
            for (String jvm : List.of("UTC", "Asia/Tokyo", "America/New_York")) {
                for (String session : List.of("UTC", "Asia/Tokyo", "America/New_York")) {
                    TimeZone.setDefault(TimeZone.getTimeZone(jvm));
                    try (Connection connection = connection();
                            Statement statement = connection.createStatement()) {
                        statement.execute(setTimeZone(session));
                        connection.setAutoCommit(false);
                        QuotaOperations quotas = clocked.on(connection);
                        Charge all = new Charge(tokyo, jvm + session, 10);
                        clock.set(Instant.parse("2026-07-10T00:00:00Z"));
                        assertThat(quotas.spend(fresh(), all).isGranted()).isTrue();
                        clock.set(reset.minusMillis(1));
                        assertThat(quotas.spend(fresh(), all).resetsAt()).contains(reset);
                        assertThat(TestDatabase.number(
                                        connection,
                                        "SELECT count(*) FROM weir_quota_period WHERE period_end = TIMESTAMP WITH TIME ZONE"
                                                + " '2026-07-31 15:00:00+00' AND holder = '" + jvm + session + "'"))
                                .isEqualTo(1);
                        clock.set(reset);
                        assertThat(quotas.spend(fresh(), all).isGranted()).isTrue();
                        connection.commit();
                    }
                }
            }
        } finally {
            TimeZone.setDefault(before);
        }
    }
}
