package io.weir.spring;

import io.weir.Decision;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Mono;

/** Limits reactive types: each subscription asks, and calls the method if it was granted. Loaded only where Reactor is. */
final class ReactiveLimit {

    private ReactiveLimit() {}

    static boolean isReactive(Class<?> returned) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned);
        return adapter != null && !adapter.getDescriptor().isNoValue();
    }

    /** @param invocation called anew for each subscription */
    static Object gate(Class<?> returned, Supplier<CompletableFuture<Decision>> ask, MethodInvocation invocation) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned);
        if (adapter == null) {
            throw new IllegalArgumentException(returned + " is not reactive");
        }
        // Not cancelled with its subscription: what is on its way to the owner is charged or not, whoever still
        // listens.
        Mono<Decision> granted = Mono.fromFuture(ask, true)
                .flatMap(decision ->
                        decision.granted() ? Mono.just(decision) : Mono.error(new RateLimitedException(decision)));
        return adapter.fromPublisher(
                adapter.isMultiValue()
                        ? granted.flatMapMany(unused -> proceed(adapter, invocation))
                        : granted.flatMap(unused -> Mono.from(proceed(adapter, invocation))));
    }

    private static Publisher<Object> proceed(ReactiveAdapter adapter, MethodInvocation invocation) {
        try {
            MethodInvocation anew =
                    invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
            return adapter.toPublisher(anew.proceed());
        } catch (Throwable e) { // the subscriber hears of it
            return Mono.error(e);
        }
    }
}
