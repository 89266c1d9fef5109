package io.weir.spring;

import io.weir.Limiter;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * A method with what limits it: found, parsed and checked once, evaluated at each call. Thread-safe.
 *
 * <p>What an expression gives may be what a client has sent, and is never quoted.
 */
final class LimitedMethod {

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    /** What one call is to be charged. */
    record Charge(String key, long permits) {}

    private final Method method;
    private final Limiter limiter;
    private final BeanResolver beans;
    private final @Nullable SpelExpression key;
    private final SpelExpression permits;
    private final @Nullable Long constant;

    /**
     * Reads what {@code annotation} says.
     *
     * @param method as the target declares it
     * @throws Misconfiguration if an expression is none
     */
    LimitedMethod(Method method, RateLimited annotation, Limiter limiter, BeanResolver beans) {
        this.method = method;
        this.limiter = limiter;
        this.beans = beans;
        this.key = annotation.key().isEmpty() ? null : parsed("key", annotation.key());
        this.permits = parsed("permits", annotation.permits());
        this.constant = constant(permits);
    }

    /** What permits are if they are a number that is written out, so that a wrong one is told at the start; else null. */
    private @Nullable Long constant(SpelExpression expression) {
        try {
            return permits(expression, new BigDecimal(expression.getExpressionString()));
        } catch (NumberFormatException e) {
            return null; // an expression
        } catch (IllegalArgumentException e) {
            throw new Misconfiguration.OfMethod(
                    e.getMessage() + ".", "Write a whole number, or an expression that gives one.", e);
        }
    }

    Method method() {
        return method;
    }

    Limiter limiter() {
        return limiter;
    }

    /**
     * What a call is to be charged.
     *
     * @throws IllegalArgumentException if an expression fails, or gives what is no key or no number of permits
     */
    Charge charge(@Nullable Object target, @Nullable Object[] arguments) {
        if (key == null && constant != null) {
            return new Charge(RateLimited.ALL, constant);
        }
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(target, method, arguments, NAMES);
        context.setBeanResolver(beans);
        return new Charge(
                key == null ? RateLimited.ALL : key(key, evaluated("key", key, context)),
                constant != null ? constant : permits(permits, evaluated("permits", permits, context)));
    }

    private @Nullable Object evaluated(String what, Expression expression, MethodBasedEvaluationContext context) {
        try {
            return expression.getValue(context);
        } catch (RuntimeException e) { // an EvaluationException, or whatever a method that is called in it throws
            throw new IllegalArgumentException(describe(what, expression.getExpressionString()) + " fails", e);
        }
    }

    private String key(Expression expression, @Nullable Object value) {
        // Of other types the text may say which object it is rather than who: a bucket for each call, and no limit at
        // all.
        boolean says = value instanceof CharSequence
                || value instanceof Number
                || value instanceof Enum<?>
                || value instanceof UUID
                || value instanceof Boolean
                || value instanceof Character;
        String text = says ? String.valueOf(value) : "";
        if (text.isEmpty()) {
            throw new IllegalArgumentException(describe("key", expression.getExpressionString()) + " gives "
                    + (says ? "an empty text" : typeOf(value))
                    + ", but a key is a text that is not empty, a number, an enum or a UUID");
        }
        return text;
    }

    private long permits(Expression expression, @Nullable Object value) {
        String wrong;
        if (value instanceof Number number) {
            try {
                long whole = new BigDecimal(number.toString()).longValueExact();
                if (whole >= 0) {
                    return whole;
                }
            } catch (ArithmeticException | NumberFormatException e) { // a fraction, too large; not a number, infinite
                // Told below, with the value.
            }
            wrong = number.toString();
        } else {
            wrong = typeOf(value);
        }
        throw new IllegalArgumentException(describe("permits", expression.getExpressionString()) + " gives " + wrong
                + ", but permits are a whole number, zero or more");
    }

    private static String typeOf(@Nullable Object value) {
        return value == null ? "null" : "a " + value.getClass().getName();
    }

    private SpelExpression parsed(String what, String text) {
        try {
            SpelExpression expression = (SpelExpression) PARSER.parseExpression(text);
            requireKnown(what, expression.getAST(), text);
            return expression;
        } catch (ParseException e) {
            throw new Misconfiguration.OfMethod(
                    describe(what, text) + " is no expression: " + e.getSimpleMessage(),
                    "Write an expression of Spring's language, as in #client or #order.size. A constant text goes in single"
                            + " quotes.",
                    e);
        }
    }

    /** A variable that nobody sets is null, and would be found out at the first call only. */
    private void requireKnown(String what, SpelNode node, String text) {
        if (node instanceof FunctionReference) {
            throw new Misconfiguration.OfMethod(
                    describe(what, text) + " calls the function " + node.toStringAST()
                            + ", and there are no functions.",
                    "Call a method of a parameter, or of a bean, as in @clients.keyOf(#client).",
                    null);
        }
        if (node instanceof VariableReference) {
            String name = node.toStringAST().substring(1);
            @Nullable String[] names = NAMES.getParameterNames(method);
            List<@Nullable String> known = names == null ? List.of() : Arrays.asList(names);
            boolean numbered =
                    name.matches("[ap]\\d{1,3}") && Integer.parseInt(name.substring(1)) < method.getParameterCount();
            if (!known.contains(name) && !numbered && !name.equals("root") && !name.equals("this")) {
                throw new Misconfiguration.OfMethod(
                        describe(what, text) + " speaks of #" + name + ", which is none of the parameters " + known,
                        names == null
                                ? "Compile with -parameters, or write #a0 for the first parameter."
                                : "Write the name of a parameter.",
                        null);
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            requireKnown(what, node.getChild(i), text);
        }
    }

    private String describe(String what, String text) {
        return "The " + what + " of @RateLimited on " + name(method) + ", \"" + text + "\",";
    }

    /** A method as a person would look for it. */
    static String name(Method method) {
        return method.getDeclaringClass().getName() + "." + method.getName()
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }
}
