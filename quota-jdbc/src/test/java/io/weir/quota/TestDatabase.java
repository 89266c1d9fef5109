package io.weir.quota;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;

/** Databases with the tables of quotas, made by Flyway from the scripts that the jar has. */
final class TestDatabase {

    private static @Nullable EmbeddedPostgres server;
    private static @Nullable File log;
    private static @Nullable String shared;

    private TestDatabase() {}

    /** A real PostgreSQL, one for each JVM, which stops with it; what it logs can be read. */
    static synchronized EmbeddedPostgres postgres() {
        if (server == null) {
            try {
                log = Files.createTempFile("weir-quota-postgres", ".log").toFile();
                log.deleteOnExit();
                server = EmbeddedPostgres.builder()
                        .setServerConfig("max_connections", "300")
                        .setServerConfig("log_lock_waits", "on")
                        .setErrorRedirector(ProcessBuilder.Redirect.appendTo(log))
                        .setOutputRedirector(ProcessBuilder.Redirect.appendTo(log))
                        .start();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
        return server;
    }

    static String postgresLog() throws IOException {
        postgres();
        return Files.readString(Objects.requireNonNull(log).toPath());
    }

    /** The JDBC address of a new, migrated database on the server. */
    static String newPostgres() {
        String name = "q" + UUID.randomUUID().toString().replace("-", "");
        try (Connection connection = postgres().getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        String url = postgres().getJdbcUrl("postgres", name);
        migrate(url, "postgresql");
        return url;
    }

    private static String emptied(String url) {
        try (HikariDataSource pool = pool(url, 1);
                Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            for (String each : List.of("account", "period", "reservation", "credit", "operation", "ledger")) {
                statement.execute("DELETE FROM weir_quota_" + each);
            }
            statement.execute("DROP TABLE IF EXISTS effect");
            return url;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The JDBC address of a migrated database on the server: one for each JVM, empty again. */
    static synchronized String emptyPostgres() {
        shared = shared == null ? newPostgres() : emptied(shared);
        return shared;
    }

    /** The JDBC address of a new, migrated database in memory. */
    static String newH2() {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        migrate(url, "h2");
        return url;
    }

    /** The JDBC address of a new, migrated database that other JVMs can open, too. */
    static String newSharedH2(Path directory) {
        String url = "jdbc:h2:" + directory.resolve("quota") + ";AUTO_SERVER=TRUE;DB_CLOSE_DELAY=-1";
        migrate(url, "h2");
        return url;
    }

    static void migrate(String url, String dialect) {
        Flyway.configure()
                .dataSource(url, url.startsWith("jdbc:h2") ? "sa" : null, null)
                .locations("classpath:io/weir/quota/" + dialect)
                .load()
                .migrate();
    }

    /** A pool of {@code size} connections. */
    static HikariDataSource pool(String url, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        if (url.startsWith("jdbc:h2")) {
            config.setUsername("sa");
        }
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(10_000);
        return new HikariDataSource(config);
    }

    /** The single number that a query gives. */
    static long number(DataSource dataSource, String sql) {
        try (Connection connection = dataSource.getConnection()) {
            return number(connection, sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
