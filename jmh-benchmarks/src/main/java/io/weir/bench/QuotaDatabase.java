package io.weir.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A PostgreSQL of its own, with the tables of everybody who spends. */
final class QuotaDatabase implements AutoCloseable {

    private static final String WEIRS_TABLES = "/io/weir/quota/postgresql/V1__weir_quota.sql";

    private final EmbeddedPostgres server;

    QuotaDatabase() throws IOException, SQLException {
        server = EmbeddedPostgres.builder().start();
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(weirsTables());
            statement.execute(HandWrittenSpends.TABLES);
        }
    }

    private static String weirsTables() throws IOException {
        try (InputStream in = QuotaDatabase.class.getResourceAsStream(WEIRS_TABLES)) {
            if (in == null) {
                throw new IllegalStateException("not on the class path: " + WEIRS_TABLES);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Where it is, for other JVMs. */
    String url() {
        return server.getJdbcUrl("postgres", "postgres");
    }

    /** Leaves nothing of what was spent before. */
    static void empty(DataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "TRUNCATE bench_budget, bench_spend, bench_history, weir_quota_account, weir_quota_period,"
                            + " weir_quota_operation, weir_quota_reservation, weir_quota_credit, weir_quota_ledger");
        }
    }

    /** Connections that count their round trips. */
    static HikariDataSource pool(String url, int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(connections);
        config.addDataSourceProperty("socketFactory", CountingSockets.class.getName());
        return new HikariDataSource(config);
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
