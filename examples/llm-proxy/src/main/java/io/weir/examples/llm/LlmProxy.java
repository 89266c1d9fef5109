package io.weir.examples.llm;

import io.weir.quota.QuotaLedger;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.flywaydb.core.Flyway;
import org.h2.jdbcx.JdbcConnectionPool;

/** The proxy on Jetty, with its balances in an H2 beside it. Several of these share a PostgreSQL instead. */
public final class LlmProxy implements AutoCloseable {

    private static final int WORKERS = 8;

    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server);
    private final QuotaLedger ledger;

    private LlmProxy(DataSource dataSource, Completions.Setting setting, int port) {
        Flyway.configure()
                .dataSource(dataSource)
                .locations("classpath:io/weir/quota/h2")
                .load()
                .migrate();
        ledger = QuotaLedger.over(dataSource)
                .workers(WORKERS)
                .deadline(Duration.ofSeconds(5)) // nobody minds beside what a model takes
                .build();

        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(new ServletHolder(new Completions(ledger, setting)), "/completions");
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        server.addConnector(connector);
        server.setHandler(context);
    }

    /** Starts a proxy in front of the model whose address is the first argument, on the port that is the second one, 8080 without. */
    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            throw new IllegalArgumentException(
                    "the address of a model is missing, as in http://127.0.0.1:9000/generate");
        }
        Completions.Setting setting = new Completions.Setting(
                URI.create(args[0]),
                Map.of("secret-of-ann", new Caller("ann-1", "search", "acme")),
                Budgets.monthly(100_000, 1_000_000, 5_000_000, 5_000),
                Duration.ofMinutes(2),
                Duration.ofSeconds(5));
        JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:./llm-proxy", "sa", "");
        LlmProxy proxy = start(pool, setting, args.length == 1 ? 8080 : Integer.parseInt(args[1]));
        Runtime.getRuntime()
                .addShutdownHook(new Thread(proxy::settleAll, "settle")); // SIGTERM must not give tokens away
        System.out.println("curl -N -H 'Authorization: Bearer secret-of-ann' -d 'Tell me more' " + proxy.completions());
        proxy.server.join();
    }

    static LlmProxy start(DataSource dataSource, Completions.Setting setting, int port) throws Exception {
        LlmProxy started = new LlmProxy(dataSource, setting, port);
        started.server.start();
        return started;
    }

    URI completions() {
        return URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/completions");
    }

    QuotaLedger ledger() {
        return ledger;
    }

    private void settleAll() {
        try {
            close();
        } catch (IOException e) {
            System.err.println("Not everything is settled: " + e);
        }
    }

    /** Lets streams end, which settles them. */
    @Override
    public void close() throws IOException {
        try (ledger) {
            server.stop();
        } catch (Exception e) {
            throw new IOException("the server does not stop", e);
        }
    }
}
