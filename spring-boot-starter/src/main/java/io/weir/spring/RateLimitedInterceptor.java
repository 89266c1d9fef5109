package io.weir.spring;

import io.weir.Decision;
import io.weir.Limiter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/** Asks the limit, and then calls the method or not: in the manner of what it returns. */
final class RateLimitedInterceptor implements MethodInterceptor {

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Mono", RateLimitedInterceptor.class.getClassLoader());

    private final LimitedMethods methods;

    RateLimitedInterceptor(LimitedMethods methods) {
        this.methods = methods;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Class<?> targetClass = target != null
                ? AopUtils.getTargetClass(target)
                : invocation.getMethod().getDeclaringClass();
        LimitedMethod method = methods.of(invocation.getMethod(), targetClass);
        Class<?> returned = method.method().getReturnType();
        if (CompletionStage.class.isAssignableFrom(returned)) {
            return stage(method, invocation);
        }
        if (REACTOR && ReactiveLimit.isReactive(returned)) {
            return ReactiveLimit.gate(returned, () -> ask(method, invocation), invocation);
        }
        LimitedMethod.Charge charge = method.charge(target, invocation.getArguments());
        Decision decision = method.limiter().tryAcquire(charge.key(), charge.permits());
        if (!decision.granted()) {
            throw new RateLimitedException(decision);
        }
        return invocation.proceed();
    }

    private static CompletableFuture<@Nullable Object> stage(LimitedMethod method, MethodInvocation invocation) {
        return ask(method, invocation).thenCompose(decision -> {
            if (!decision.granted()) {
                return CompletableFuture.failedFuture(new RateLimitedException(decision));
            }
            try {
                @SuppressWarnings("unchecked") // its declared type has been looked at
                CompletionStage<@Nullable Object> returned = (CompletionStage<@Nullable Object>) invocation.proceed();
                return returned == null ? CompletableFuture.completedFuture(null) : returned;
            } catch (Throwable e) { // the caller has its future already, and hears of it there
                return CompletableFuture.failedFuture(e);
            }
        });
    }

    /** Fails as a future, too, if there is nothing to ask for. */
    private static CompletableFuture<Decision> ask(LimitedMethod method, MethodInvocation invocation) {
        try {
            LimitedMethod.Charge charge = method.charge(invocation.getThis(), invocation.getArguments());
            Limiter limiter = method.limiter();
            return limiter.tryAcquireAsync(charge.key(), charge.permits());
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
