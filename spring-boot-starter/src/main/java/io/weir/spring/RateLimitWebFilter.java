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
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

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
                .flatMap(name -> asked(limits.answerAsync(new Incoming(exchange, name), position)))
                .flatMap(answer -> {
                    if (answer instanceof HttpAnswer.Denied denied) {
                        return write(denied, exchange.getResponse());
                    }
                    answer.fields().forEach(exchange.getResponse().getHeaders()::set);
                    return chain.filter(exchange);
                });
    }

    /**
     * What comes later comes on a thread that ends the decisions of everybody: nothing of the application's may run there. What
     * is there already stays on its thread.
     */
    private static Mono<HttpAnswer> asked(CompletableFuture<HttpAnswer> answer) {
        Mono<HttpAnswer> asked = Mono.fromFuture(answer, true);
        return answer.isDone() ? asked : asked.publishOn(Schedulers.parallel());
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
}
