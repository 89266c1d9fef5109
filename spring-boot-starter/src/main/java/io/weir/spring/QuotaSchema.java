package io.weir.spring;

import io.weir.quota.QuotaLedger;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;

/** The tables of quotas: whether they are there, at the start and not with the first request. */
final class QuotaSchema {

    private static final List<String> TABLES = List.of(
            "weir_quota_account",
            "weir_quota_period",
            "weir_quota_reservation",
            "weir_quota_credit",
            "weir_quota_operation",
            "weir_quota_ledger");

    private static final String H2 = "h2/V1__weir_quota.sql";

    private final DataSource dataSource;

    QuotaSchema(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * Does what is configured.
     *
     * @throws Misconfiguration if the tables are not there afterwards, or if there is no telling
     */
    void require(LedgerProperties.Schema schema) {
        if (schema == LedgerProperties.Schema.NONE) {
            return;
        }
        try (Connection connection = dataSource.getConnection()) {
            String product = connection.getMetaData().getDatabaseProductName();
            if (!product.equals("H2") && !product.equals("PostgreSQL")) {
                throw new Misconfiguration.OfQuotas(
                        "Quotas are kept in PostgreSQL or H2, and this DataSource is of " + product + ".",
                        "Set weir.quota.data-source to the name of another bean.",
                        null);
            }
            if (schema == LedgerProperties.Schema.CREATE) {
                create(connection, product);
            }
            for (String table : TABLES) {
                look(connection, table, product);
            }
        } catch (SQLException e) {
            throw new Misconfiguration.OfQuotas(
                    "Whether the tables of quotas are there is not known, since the database does not answer: "
                            + e.getMessage(),
                    "See that the DataSource is right and the database up; or set weir.quota.schema to none, to start"
                            + " without looking.",
                    e);
        }
    }

    private static void look(Connection connection, String table, String product) {
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT 1 FROM " + table + " WHERE 1 = 0").close();
        } catch (SQLException e) {
            boolean h2 = product.equals("H2");
            String folder = "classpath:io/weir/quota/" + (h2 ? "h2" : "postgresql");
            throw new Misconfiguration.OfQuotas(
                    "Table " + table + " of quotas cannot be read: " + e.getMessage(),
                    "Add " + folder
                            + " to spring.flyway.locations, or run the SQL that is there, V1__weir_quota.sql, by"
                            + " hand." + (h2 ? " Or set weir.quota.schema to create." : ""),
                    e);
        }
    }

    private static void create(Connection connection, String product) throws SQLException {
        if (!product.equals("H2")) {
            throw new Misconfiguration.OfQuotas(
                    "weir.quota.schema is create, which is for H2, and this DataSource is of " + product + ".",
                    "Add classpath:io/weir/quota/postgresql to spring.flyway.locations, and set weir.quota.schema to"
                            + " validate.",
                    null);
        }
        try (Statement statement = connection.createStatement()) {
            statement
                    .executeQuery("SELECT 1 FROM " + TABLES.get(0) + " WHERE 1 = 0")
                    .close();
        } catch (SQLException notThere) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(script());
                if (!connection.getAutoCommit()) {
                    connection.commit();
                }
            }
        }
    }

    private static String script() {
        try (InputStream script = Objects.requireNonNull(QuotaLedger.class.getResourceAsStream(H2), H2)) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + H2, e);
        }
    }
}
