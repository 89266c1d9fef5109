package io.weir.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits a method of a bean, or each public method of a class of beans: it is called if the limit grants, and else fails with
 * {@link RateLimitedException}.
 *
 * <pre>{@code
 * @RateLimited(limit = "per-client", key = "#client")
 * public Report report(String client) { ... }
 *
 * @RateLimited(limit = "rows-per-tenant", key = "#query.tenant", permits = "#query.rows")
 * public CompletableFuture<Rows> rows(Query query) { ... }
 * }</pre>
 *
 * <p>A method that returns a {@link java.util.concurrent.CompletionStage}, or with Reactor a {@code Mono}, a {@code Flux} or
 * another reactive type, never blocks its caller: the method is called when the limit has granted, on whichever thread knows
 * that, and a denial is a failed future, or an error to each subscriber. Reactive types are charged once for each subscription.
 * Any other method waits for the decision, for the limit's deadline at most.
 *
 * <p>Expressions are in Spring's language. They know the arguments by name, and as {@code #a0}, {@code #a1}; beans as {@code
 * @name}; and the bean that is called as {@code #root}. What is not an expression, a limit that does not exist, and a method that
 * cannot be limited (it is private, static or final) stop the application's start. Calls of a bean to its own methods do not
 * pass through its proxy and are not limited.
 *
 * <p>Can be put on annotations of your own, and be given values by {@link org.springframework.core.annotation.AliasFor}.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface RateLimited {

    /** The key that all callers share where {@link #key()} is not given. */
    String ALL = "all";

    /** The name of the limit. */
    String limit();

    /**
     * An expression that says who or what is counted apart: text, a number, an enum, a UUID. One that gives null or no text at
     * all fails the call with an {@link IllegalArgumentException}: write {@code #user?.id ?: 'anonymous'} if there may be none.
     * Unless given, all callers share one bucket, of the key {@value #ALL}.
     */
    String key() default "";

    /**
     * How many permits a call costs: a whole number, or an expression that gives one. An expression that gives anything else, or
     * less than zero, fails the call with an {@link IllegalArgumentException}; zero is a free look, and granted.
     */
    String permits() default "1";
}
