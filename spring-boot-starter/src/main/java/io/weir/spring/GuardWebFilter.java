package io.weir.spring;

import io.weir.http.Admission;
import io.weir.http.HttpAnswer;
import io.weir.http.HttpGuards;
import io.weir.http.Position;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Lets requests of WebFlux in at one {@link Position}, until they complete, fail or are cancelled. Blocks nobody. */
final class GuardWebFilter implements WebFilter, Ordered {

    private final HttpGuards guards;
    private final Position position;
    private final int order;

    GuardWebFilter(HttpGuards guards, Position position, int order) {
        this.guards = guards;
        this.position = position;
        this.order = order;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        if (!guards.anyAt(position)) {
            return chain.filter(exchange);
        }
        return ExchangeRequest.principal(exchange, position)
                .flatMap(name -> Mono.using(
                        () -> guards.enter(new ExchangeRequest(exchange, name), position),
                        admission -> admitted(admission, exchange, chain),
                        Admission::close));
    }

    private static Mono<Void> admitted(Admission admission, ServerWebExchange exchange, WebFilterChain chain) {
        HttpAnswer.Denied refusal = admission.refusal().orElse(null);
        return refusal == null ? chain.filter(exchange) : RateLimitWebFilter.write(refusal, exchange.getResponse());
    }
}
