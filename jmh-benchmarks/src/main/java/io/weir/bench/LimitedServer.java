package io.weir.bench;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterRegistration;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.springframework.boot.web.embedded.tomcat.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServer;

/** A Tomcat as Spring Boot starts it, with a {@link Greeting} behind a filter, and connections that stay open. */
final class LimitedServer implements AutoCloseable {

    private final WebServer server;

    LimitedServer(Filter filter) {
        TomcatServletWebServerFactory factory = new TomcatServletWebServerFactory(0);
        factory.setAddress(InetAddress.getLoopbackAddress());
        factory.addConnectorCustomizers(
                connector -> ((AbstractHttp11Protocol<?>) connector.getProtocolHandler()).setMaxKeepAliveRequests(-1));
        server = factory.getWebServer(context -> {
            FilterRegistration.Dynamic registration = context.addFilter("limiting", filter);
            registration.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
            context.addServlet("greeting", new Greeting()).addMapping("/");
        });
        server.start();
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort());
    }

    @Override
    public void close() {
        server.stop();
    }
}
