package io.weir.examples.servlet;

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.hazelcast.HazelcastStore;
import io.weir.http.ClientAddress;
import io.weir.http.HttpLimits;
import io.weir.http.Position;
import io.weir.http.RateLimitFilter;
import io.weir.http.Route;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * A shop on Jetty. A client may burst 20 requests, and make 10 a second; a report counts as 5. However many of these servers
 * run, they enforce that together: each is a member of one Hazelcast cluster.
 */
public final class LimitedServer implements AutoCloseable {

    private static final String NAMESPACE = "shop";

    private final Weir weir;
    private final Server server;
    private final ServerConnector connector;

    private LimitedServer(HazelcastInstance hazelcast, int port) {
        Limit perClient = Limit.named("per-client", FailurePolicy.LOCAL_SHARE)
                .bandwidth(Bandwidth.of(20, 10, Duration.ofSeconds(1)))
                .build();
        weir = Weir.over(HazelcastStore.join(hazelcast, NAMESPACE))
                .limit(perClient)
                .build();

        ClientAddress client = ClientAddress.ofConnection(); // behind a proxy of yours: .behind("10.0.0.0/8")
        HttpLimits limits = HttpLimits.over(weir)
                .route(Route.free("/health"))
                .route(Route.limitedBy("per-client", "/api/reports/**", client).cost(5))
                .route(Route.limitedBy("per-client", "/api/**", client))
                .build();

        ServletContextHandler context = new ServletContextHandler("/");
        FilterHolder filter = new FilterHolder(new RateLimitFilter(limits, Position.BEFORE_AUTHENTICATION));
        filter.setAsyncSupported(true);
        context.addFilter(filter, "/*", EnumSet.of(DispatcherType.REQUEST));
        context.addServlet(Hello.class, "/");

        server = new Server();
        connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        server.addConnector(connector);
        server.setHandler(context);
    }

    /** Starts a member of the cluster that answers on the port given as the argument, 8080 without one. */
    public static void main(String[] args) throws Exception {
        int port = args.length == 0 ? 8080 : Integer.parseInt(args[0]);
        HazelcastInstance hazelcast = Hazelcast.newHazelcastInstance(configured(Config.load()));
        LimitedServer server = start(hazelcast, port);
        System.out.println("curl -i http://127.0.0.1:" + server.port() + "/api/reports/1");
        server.server.join();
    }

    /** With the map of this application's buckets. */
    static Config configured(Config config) {
        return HazelcastStore.configure(config, NAMESPACE);
    }

    static LimitedServer start(HazelcastInstance hazelcast, int port) throws Exception {
        LimitedServer started = new LimitedServer(hazelcast, port);
        started.server.start();
        return started;
    }

    int port() {
        return connector.getLocalPort();
    }

    /** Lets requests end, and gives back what this node has leased. */
    @Override
    public void close() throws IOException {
        try (weir) {
            server.stop();
        } catch (Exception e) {
            throw new IOException("the server does not stop", e);
        }
    }

    /** What the application does. */
    public static final class Hello extends HttpServlet {

        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.setContentType("text/plain");
            response.getWriter().println("hello");
        }
    }
}
