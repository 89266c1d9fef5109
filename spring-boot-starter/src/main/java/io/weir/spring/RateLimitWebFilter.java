package io.weir.spring;

import io.weir.http.HttpAnswer;
import io.weir.http.HttpLimits;
import io.weir.http.IncomingRequest;
import io.weir.http.Position;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Limits requests of WebFlux at one {@link Position}. Blocks nobody. */
final class RateLimitWebFilter implements WebFilter, Ordered {

    private final HttpLimits limits;
    private final Position position;
    private final int order;

    RateLimitWebFilter(HttpLimits limits, Position position, int order) {
        this.limits = limits;
        this.position = position;
        this.order = order;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        if (!limits.anyAt(position)) {
            return chain.filter(exchange);
        }
        Mono<Optional<String>> principal = position == Position.BEFORE_AUTHENTICATION
                ? Mono.just(Optional.empty())
                : exchange.getPrincipal()
                        .map(Principal::getName)
                        .map(Optional::of)
                        .defaultIfEmpty(Optional.empty());
        return principal
                .flatMap(name -> Mono.fromFuture(limits.answerAsync(new Incoming(exchange, name), position), true))
                .flatMap(answer -> {
                    if (answer instanceof HttpAnswer.Denied denied) {
                        return write(denied, exchange.getResponse());
                    }
                    answer.fields().forEach(exchange.getResponse().getHeaders()::set);
                    return chain.filter(exchange);
                });
    }

    static Mono<Void> write(HttpAnswer.Denied denied, ServerHttpResponse response) {
        response.setStatusCode(HttpStatusCode.valueOf(denied.status()));
        denied.fields().forEach(response.getHeaders()::set);
        byte[] body = denied.body().getBytes(StandardCharsets.UTF_8);
        response.getHeaders().setContentLength(body.length);
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
    }

    /** What a limit needs to know of an exchange. */
    private record Incoming(ServerWebExchange exchange, Optional<String> principal) implements IncomingRequest {

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
            return address == null || address.getAddress() == null
                    ? ""
                    : address.getAddress().getHostAddress();
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
}
