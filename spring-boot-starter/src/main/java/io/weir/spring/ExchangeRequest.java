package io.weir.spring;

import io.weir.http.IncomingRequest;
import io.weir.http.Position;
import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** What limits and guards need to know of an exchange of WebFlux. */
record ExchangeRequest(ServerWebExchange exchange, Optional<String> principal) implements IncomingRequest {

    /** Who is asking; nobody before authentication, when to ask could be the authentication itself. */
    static Mono<Optional<String>> principal(ServerWebExchange exchange, Position position) {
        return position == Position.BEFORE_AUTHENTICATION
                ? Mono.just(Optional.empty())
                : exchange.getPrincipal()
                        .map(Principal::getName)
                        .map(Optional::of)
                        .defaultIfEmpty(Optional.empty());
    }

    @Override
    public String method() {
        return exchange.getRequest().getMethod().name();
    }

    @Override
    public String path() {
        String path = exchange.getRequest().getURI().getRawPath();
        return path == null ? "" : path;
    }

    @Override
    public String contextPath() {
        return exchange.getRequest().getPath().contextPath().value();
    }

    @Override
    public List<String> field(String name) {
        // The one way to all lines of a field that Spring 6 and 7 both have: what else there is changed its
        // parameters.
        List<String> lines = new ArrayList<>(1);
        exchange.getRequest().getHeaders().forEach((each, values) -> {
            if (each.equalsIgnoreCase(name)) {
                lines.addAll(values);
            }
        });
        return lines;
    }

    @Override
    public String peer() {
        InetSocketAddress address = exchange.getRequest().getRemoteAddress();
        if (address == null) {
            return "";
        }
        if (address.getAddress() != null) {
            return address.getAddress().getHostAddress();
        }
        // Unresolved, as ForwardedHeaderTransformer makes it: of the text of an address, maybe in brackets.
        String host = address.getHostString();
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }

    @Override
    public @Nullable Object kept(String name) {
        return exchange.getAttribute(name);
    }

    @Override
    public void keep(String name, Object value) {
        exchange.getAttributes().put(name, value);
    }
}
