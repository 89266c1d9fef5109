package io.weir.spring;

import io.weir.http.HttpAnswer;
import io.weir.http.HttpLimits;
import io.weir.http.Position;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
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
        return ExchangeRequest.principal(exchange, position)
                .flatMap(name -> asked(limits.answerAsync(new ExchangeRequest(exchange, name), position)))
                .flatMap(answer -> {
                    if (answer instanceof HttpAnswer.Denied denied) {
                        return write(denied, exchange.getResponse());
                    }
                    writeFields(answer, exchange.getResponse().getHeaders());
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
        writeFields(denied, response.getHeaders());
        byte[] body = denied.body().getBytes(StandardCharsets.UTF_8);
        response.getHeaders().setContentLength(body.length);
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
    }

    private static void writeFields(HttpAnswer answer, HttpHeaders headers) {
        answer.fields().forEach((name, value) -> {
            if (!name.equals(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS)) {
                headers.set(name, value);
            } else if (!headers.getValuesAsList(name).containsAll(List.of(value.split(", ")))) {
                headers.add(name, value); // a list, to which the application adds its own
            }
        });
    }
}
