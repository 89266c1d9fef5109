package io.weir.spring;

import io.weir.http.HttpAnswer;
import io.weir.http.HttpLimits;
import io.weir.http.Position;
import io.weir.http.QuotaCharge;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.ErrorResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Schedulers;

/** Limits requests of WebFlux at one {@link Position}. Blocks nobody. */
final class RateLimitWebFilter implements WebFilter, Ordered {

    private final HttpLimits limits;
    private final @Nullable QuotaThreads threads;
    private final Position position;
    private final int order;

    /** @param threads which end what requests have taken of quotas; null if there are none */
    RateLimitWebFilter(HttpLimits limits, @Nullable QuotaThreads threads, Position position, int order) {
        this.limits = limits;
        this.threads = threads;
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
        return ExchangeRequest.principal(exchange, position).flatMap(name -> {
            ExchangeRequest request = new ExchangeRequest(exchange, name);
            return threads == null
                    ? answered(limits.answerAsync(request, position), exchange, chain)
                    : withQuotas(request, exchange, chain, threads);
        });
    }

    private Mono<Void> answered(
            CompletableFuture<HttpAnswer> answer, ServerWebExchange exchange, WebFilterChain chain) {
        return asked(answer).flatMap(made -> {
            if (made instanceof HttpAnswer.Denied denied) {
                return write(denied, exchange.getResponse());
            }
            writeFields(made, exchange.getResponse().getHeaders());
            return chain.filter(exchange);
        });
    }

    /** What is taken of quotas is ended with the exchange: also where that ends before it is known what was taken. */
    private Mono<Void> withQuotas(
            ExchangeRequest request, ServerWebExchange exchange, WebFilterChain chain, QuotaThreads ending) {
        Object before = request.kept(HttpLimits.QUOTA);
        AtomicReference<@Nullable QuotaCharge> taken = new AtomicReference<>();
        CompletableFuture<HttpAnswer> answer = limits.answerAsync(request, position)
                .thenApply(made -> {
                    if (request.kept(HttpLimits.QUOTA) instanceof QuotaCharge charge && charge != before) {
                        taken.set(charge);
                    }
                    return made;
                });
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        return answered(answer, exchange, chain).doOnError(failure::set).doFinally(signal -> {
            CompletableFuture<Void> unused = answer.thenRun(() -> {
                QuotaCharge charge = taken.get();
                if (charge != null) {
                    boolean failed = failed(signal, failure.get(), exchange.getResponse());
                    ending.end(() -> charge.end(failed));
                }
            });
        });
    }

    private static boolean failed(SignalType signal, @Nullable Throwable failure, ServerHttpResponse response) {
        if (failure instanceof ErrorResponse answered) { // which is made an answer outside of filters
            return answered.getStatusCode().is5xxServerError();
        }
        HttpStatusCode status = response.getStatusCode();
        return signal != SignalType.ON_COMPLETE || (status != null && status.is5xxServerError());
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
