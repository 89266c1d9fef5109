package io.weir.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which requests a limit is for, what each of them costs, and who pays.
 *
 * <pre>{@code
 * Route.limitedBy("per-client", "/api/reports/**", ClientAddress.ofConnection()).methods("POST").cost(10)
 * }</pre>
 *
 * <p>Each method that configures gives a route that differs in this one thing. Immutable and thread-safe.
 *
 * <p>A path pattern has segments that must be the same, {@code *} or <code>{name}</code> for any one segment, and at its end
 * {@code **} for whatever follows, nothing included. It is held against the decoded path, without parameters ({@code ;a=b}),
 * empty segments and a slash at the end; upper and lower case differ.
 */
public final class Route {

    /** One of the limits of a route, and who pays. */
    record Charge(String limit, KeyResolver key) {
        Charge {
            Objects.requireNonNull(limit, "limit");
            Objects.requireNonNull(key, "key");
        }
    }

    private final PathPattern pattern;
    private final Set<String> methods;
    private final List<Charge> charges;
    private final MissingKey missingKey;
    private final long cost;
    private final @Nullable Position position;
    private final @Nullable QuotaUse quota;

    private Route(
            PathPattern pattern,
            Set<String> methods,
            List<Charge> charges,
            MissingKey missingKey,
            long cost,
            @Nullable Position position,
            @Nullable QuotaUse quota) {
        this.pattern = pattern;
        this.methods = methods;
        this.charges = charges;
        this.missingKey = missingKey;
        this.cost = cost;
        this.position = position;
        this.quota = quota;
    }

    /**
     * A route whose requests a limit decides. Each costs one permit, unless {@link #cost} says otherwise, and a request without
     * a key is refused, unless {@link #missingKey} does.
     *
     * @param limit the name of the limit
     * @param pattern which paths
     * @param key who pays
     * @throws IllegalArgumentException if {@code pattern} is no path pattern
     */
    public static Route limitedBy(String limit, String pattern, KeyResolver key) {
        return new Route(
                PathPattern.of(pattern), Set.of(), List.of(new Charge(limit, key)), MissingKey.DENY, 1, null, null);
    }

    /**
     * A route whose requests are never limited, at no position: for probes, say. It matches a path only as it is written:
     * one that has to be decoded or resolved first is left to the routes behind this one.
     *
     * @param pattern which paths
     * @throws IllegalArgumentException if {@code pattern} is no path pattern
     */
    public static Route free(String pattern) {
        return new Route(PathPattern.of(pattern), Set.of(), List.of(), MissingKey.SKIP, 0, null, null);
    }

    /**
     * A route whose requests no limit decides, but quotas alone.
     *
     * @param pattern which paths
     * @throws IllegalArgumentException if {@code pattern} is no path pattern
     */
    public static Route spending(QuotaUse use, String pattern) {
        return new Route(
                PathPattern.of(pattern),
                Set.of(),
                List.of(),
                MissingKey.DENY,
                1,
                null,
                Objects.requireNonNull(use, "use"));
    }

    /**
     * Takes from quotas as well, once all limits of the route have granted: what a limit denies spends nothing. What a quota then denies has been charged to the
     * limits all the same, so that who has nothing left cannot ask for it at any rate. A request that lacks one of the quotas' keys is one {@linkplain
     * #missingKey without a key}.
     *
     * @throws IllegalArgumentException if the route is {@linkplain #free free}
     */
    public Route spending(QuotaUse use) {
        Objects.requireNonNull(use, "use");
        if (isFree()) {
            throw new IllegalArgumentException(
                    this + " is free, and cannot spend quota " + use.quotas() + ": begin it with Route.spending(..)");
        }
        return new Route(pattern, methods, charges, missingKey, cost, position, use);
    }

    /**
     * Another limit for the same requests, by a key of its own. They are granted by all limits of the route together, or charged to
     * none: all are asked at once, and what was taken is given back if another denies. An answer that denies is that of the limit with the longest wait, and has the meter fields of all.
     *
     * <p>Each limit is charged the route's {@link #cost}. A request that lacks one of the keys is one {@linkplain #missingKey without
     * a key}. Limits that are {@linkplain io.weir.Limit#isShadow shadows} do not count in any of this: one whose key is missing is not asked.
     * If all of them are shadows, the routes behind this one decide.
     *
     * @param limit the name of the limit
     * @param key who pays
     * @throws IllegalArgumentException if the route is {@linkplain #free free} from the beginning
     */
    public Route and(String limit, KeyResolver key) {
        if (charges.isEmpty() && quota == null) {
            throw new IllegalArgumentException(this + " is free, and cannot be limited by \"" + limit
                    + "\": begin it with" + " Route.limitedBy(..)");
        }
        List<Charge> all = new ArrayList<>(charges);
        all.add(new Charge(limit, key));
        return new Route(pattern, methods, List.copyOf(all), missingKey, cost, position, quota);
    }

    /**
     * Only requests with these methods. Those with {@code HEAD} belong to {@code GET}, since they are handled as such: the
     * work is the same, and only the body is not sent.
     *
     * @param values such as {@code GET}, in capitals as HTTP has them; with none, the route is for all
     * @throws IllegalArgumentException if one is no method
     */
    public Route methods(String... values) {
        Set<String> chosen = new TreeSet<>();
        for (String value : values) {
            if (!value.matches("[A-Z-]{1,32}")) {
                throw new IllegalArgumentException("method must be in capital letters, such as "
                        + (value.matches("[A-Za-z-]{1,32}") ? value.toUpperCase(Locale.ROOT) : "GET") + ", but is \""
                        + value.replaceAll("[^ -~]", "?") + "\"");
            }
            chosen.add(value);
            if (value.equals("GET")) {
                chosen.add("HEAD");
            }
        }
        return new Route(pattern, Set.copyOf(chosen), charges, missingKey, cost, position, quota);
    }

    /** What happens to a request without a key; {@link MissingKey#DENY} if not called. */
    public Route missingKey(MissingKey value) {
        return new Route(pattern, methods, charges, Objects.requireNonNull(value), cost, position, quota);
    }

    /**
     * How many permits a request costs; 1 if not called.
     *
     * @param permits zero or more; with zero, the route is {@linkplain #free free}
     * @throws IllegalArgumentException if it is negative
     */
    public Route cost(long permits) {
        if (permits < 0) {
            throw new IllegalArgumentException(
                    "cost of " + this + " must be 0, for requests that are never limited, or more, but is " + permits);
        }
        if (permits == 0 && quota != null) {
            throw new IllegalArgumentException("cost of " + this + " must be 1 or more, since it spends quota "
                    + quota.quotas() + ", but is 0; begin it with Route.spending(..) if no limit is to be asked");
        }
        return new Route(pattern, methods, charges, missingKey, permits, position, quota);
    }

    /**
     * Where its requests are limited. If not called: after authentication if a key of a limit that is no shadow {@linkplain
     * KeyResolver#needsAuthentication() needs} that, and else before.
     */
    public Route at(Position value) {
        return new Route(pattern, methods, charges, missingKey, cost, Objects.requireNonNull(value), quota);
    }

    /** Empty if {@link #isFree()} from the beginning. */
    List<Charge> charges() {
        return charges;
    }

    @Nullable
    QuotaUse quota() {
        return quota;
    }

    MissingKey missingKey() {
        return missingKey;
    }

    long cost() {
        return cost;
    }

    boolean isFree() {
        return cost == 0;
    }

    /** @param needsAuthentication whether who pays is known after authentication only */
    Position position(boolean needsAuthentication) {
        if (position != null) {
            return position;
        }
        return needsAuthentication ? Position.AFTER_AUTHENTICATION : Position.BEFORE_AUTHENTICATION;
    }

    boolean matches(String method, RequestPath.Reading path) {
        return (methods.isEmpty() || methods.contains(method)) && pattern.matches(path);
    }

    /**
     * Whether {@code later} gets no request at a position where this one stands before it; or, if only this one is free, none
     * whose path is plainly written.
     */
    boolean hides(Route later) {
        return (isFree() || missingKey != MissingKey.SKIP)
                && (methods.isEmpty() || (!later.methods.isEmpty() && methods.containsAll(later.methods)))
                && pattern.covers(later.pattern);
    }

    @Override
    public String toString() {
        return "route " + (methods.isEmpty() ? "" : String.join(",", new TreeSet<>(methods)) + " ") + pattern;
    }
}
