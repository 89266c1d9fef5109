package io.weir.http;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.filters.CorsFilter;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.ErrorPage;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.eclipse.jetty.ee11.servlet.ErrorPageErrorHandler;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.CrossOriginHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** The servlet containers that the filter is held against, with few threads each and room for fields of 8 KB. */
enum Container {
    TOMCAT {
        @Override
        Running start(Application application) throws LifecycleException {
            Connector connector = new Connector();
            connector.setPort(0);
            connector.setProperty("address", "127.0.0.1");
            connector.setProperty("maxKeepAliveRequests", "-1");
            connector.setProperty("maxThreads", Integer.toString(THREADS));
            connector.setProperty("maxHttpRequestHeaderSize", Integer.toString(HEADER_BYTES));
            if (application.lenient()) {
                connector.setEncodedSolidusHandling("decode");
                connector.setEncodedReverseSolidusHandling("decode");
                connector.setAllowBackslash(true);
                connector.setProperty("relaxedPathChars", "\"<>[\\]^`{|}");
            }
            Tomcat tomcat = new Tomcat();
            tomcat.setBaseDir(Path.of("target", "tomcat").toAbsolutePath().toString());
            tomcat.setConnector(connector);
            Context context = tomcat.addContext(application.contextPath(), null);
            Logger.getLogger(context.getLogName()).setLevel(Level.OFF); // on its own, since Tomcat has switched it on
            context.addServletContainerInitializer(
                    (classes, servlets) -> application.setUp().accept(servlets), Set.of());
            if (application.errorPage() != null) {
                ErrorPage page = new ErrorPage();
                page.setLocation(application.errorPage());
                context.addErrorPage(page);
            }
            if (application.origin() != null) {
                allow(context, application.origin());
            }
            tomcat.start();
            return new Running(connector.getLocalPort(), application.contextPath(), () -> {
                tomcat.stop();
                tomcat.destroy();
            });
        }

        private static void allow(Context context, String origin) {
            FilterDef filter = new FilterDef();
            filter.setFilterName("cors");
            filter.setFilter(new CorsFilter());
            filter.setAsyncSupported("true");
            filter.addInitParameter(CorsFilter.PARAM_CORS_ALLOWED_ORIGINS, origin);
            context.addFilterDef(filter);
            FilterMap everything = new FilterMap();
            everything.setFilterName("cors");
            everything.addURLPattern("/*");
            context.addFilterMap(everything);
        }
    },

    JETTY {
        @Override
        Running start(Application application) throws Exception {
            Server server = new Server(new QueuedThreadPool(THREADS));
            HttpConfiguration http = new HttpConfiguration();
            http.setRequestHeaderSize(HEADER_BYTES);
            ServletContextHandler context =
                    new ServletContextHandler(application.contextPath().isEmpty() ? "/" : application.contextPath());
            context.addServletContainerInitializer(
                    (classes, servlets) -> application.setUp().accept(servlets));
            if (application.lenient()) {
                http.setUriCompliance(UriCompliance.UNSAFE);
                context.getServletHandler().setDecodeAmbiguousURIs(true);
            }
            if (application.errorPage() != null) {
                ErrorPageErrorHandler pages = new ErrorPageErrorHandler();
                pages.addErrorPage(ErrorPageErrorHandler.GLOBAL_ERROR_PAGE, application.errorPage());
                context.setErrorHandler(pages);
            }
            ServerConnector connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
            connector.setHost("127.0.0.1");
            server.addConnector(connector);
            server.setHandler(application.origin() == null ? context : allowing(application.origin(), context));
            server.start();
            return new Running(connector.getLocalPort(), application.contextPath(), server::stop);
        }

        private static Handler allowing(String origin, Handler next) {
            CrossOriginHandler cors = new CrossOriginHandler();
            cors.setAllowedOriginPatterns(Set.of(origin.replace(".", "\\.")));
            cors.setAllowedMethods(Set.of("GET"));
            cors.setPreflightMaxAge(Duration.ofSeconds(1));
            cors.setHandler(next);
            return cors;
        }
    };

    private static final int THREADS = 12;
    private static final int HEADER_BYTES = 16_384;

    /** Held, since the JDK forgets loggers that nobody holds. */
    static final List<Logger> LOGGERS = List.of(Logger.getLogger("org.apache"), Logger.getLogger("org.eclipse.jetty"));

    static {
        LOGGERS.forEach(logger -> logger.setLevel(Level.OFF)); // they log what hostile clients and failing handlers do
    }

    /** Starts it on a free port of loopback. */
    abstract Running start(Application application) throws Exception;

    /** Ends what was started. */
    interface Stop {
        void stop() throws Exception;
    }

    /** A container that serves. */
    record Running(int port, String contextPath, Stop stop) implements AutoCloseable {

        URI uri(String path) {
            return URI.create("http://127.0.0.1:" + port + contextPath + path);
        }

        @Override
        public void close() throws IOException {
            try {
                stop.stop();
            } catch (Exception e) {
                throw new IOException("does not stop", e);
            }
        }
    }
}
