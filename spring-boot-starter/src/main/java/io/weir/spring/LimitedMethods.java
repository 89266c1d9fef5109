package io.weir.spring;

import io.weir.Limiter;
import io.weir.Weir;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.BeanResolver;
import org.springframework.util.ReflectionUtils;

/** Which methods are limited, and by what. Thread-safe; as many entries as there are such methods. */
final class LimitedMethods {

    private final Supplier<@Nullable Weir> weir;
    private final BeanResolver beans;
    private final Map<MethodClassKey, LimitedMethod> known = new ConcurrentHashMap<>();

    /** @param weir asked for the first limit, and not before: it is too early for it when this is made */
    LimitedMethods(Supplier<@Nullable Weir> weir, BeanResolver beans) {
        this.weir = weir;
        this.beans = beans;
    }

    /**
     * What limits a method of {@code targetClass}: its own annotation, or its class's if it is public and of an object; null if
     * nothing does. What a class inherits from one that is not annotated, its class's annotation leaves alone: it may be a
     * framework's.
     */
    static @Nullable RateLimited annotation(Method method, Class<?> targetClass) {
        Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
        RateLimited own = AnnotatedElementUtils.findMergedAnnotation(specific, RateLimited.class);
        if (own != null || !Modifier.isPublic(specific.getModifiers()) || ReflectionUtils.isObjectMethod(specific)) {
            return own;
        }
        if (Modifier.isStatic(specific.getModifiers()) || isOfAnother(specific.getDeclaringClass(), targetClass)) {
            return null;
        }
        return AnnotatedElementUtils.findMergedAnnotation(targetClass, RateLimited.class);
    }

    /** Not if the annotation is an interface's: that is for whoever implements it. */
    private static boolean isOfAnother(Class<?> declaring, Class<?> targetClass) {
        return !declaring.isInterface()
                && AnnotatedElementUtils.isAnnotated(targetClass, RateLimited.class)
                && !AnnotatedElementUtils.hasAnnotation(declaring, RateLimited.class);
    }

    /**
     * A method that has an {@link #annotation}, ready to be called.
     *
     * @throws Misconfiguration if its limit does not exist, or an expression is none
     */
    LimitedMethod of(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        LimitedMethod found = known.get(key);
        return found != null ? found : known.computeIfAbsent(key, unused -> read(method, targetClass));
    }

    private LimitedMethod read(Method method, Class<?> targetClass) {
        RateLimited annotation = annotation(method, targetClass);
        if (annotation == null) {
            throw new IllegalArgumentException(LimitedMethod.name(method) + " is not limited");
        }
        Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
        return new LimitedMethod(specific, annotation, limiter(specific, annotation.limit()), beans);
    }

    private Limiter limiter(Method method, String limit) {
        String where = "@RateLimited on " + LimitedMethod.name(method) + " names the limit \"" + limit + "\"";
        Weir found = weir.get();
        if (found == null) {
            throw new Misconfiguration.OfMethod(
                    where + ", but there is no limit at all.",
                    "Write it beneath weir.limits in application.yaml.",
                    null);
        }
        try {
            Limiter limiter = found.limiter(limit);
            if (limiter == null) { // in spite of what it promises
                throw new Misconfiguration.OfMethod(
                        where + ", but the Weir gives no limiter for it: it is a mock.",
                        "In tests, use a real Weir: set weir.store to local.",
                        null);
            }
            return limiter;
        } catch (IllegalArgumentException e) {
            throw new Misconfiguration.OfMethod(
                    where + ", but " + e.getMessage() + ".",
                    "Write the name of one of them, or add the limit beneath weir.limits in application.yaml.",
                    e);
        }
    }
}
