package io.weir.http;

import io.weir.Ask;
import io.weir.Decision;
import io.weir.JointDecision;
import io.weir.Limiter;
import io.weir.Weir;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Which requests of an application are limited, by what, and how they are answered. Immutable and thread-safe.
 *
 * <pre>{@code
 * HttpLimits limits = HttpLimits.over(weir)
 *         .route(Route.free("/health"))
 *         .route(Route.limitedBy("exports", "/api/exports/**", KeyResolver.principal()).cost(10))
 *         .route(Route.limitedBy("per-client", "/api/**", ClientAddress.ofConnection()))
 *         .build();
 * }</pre>
 *
 * <p>At each {@link Position} the first route counts that matches, and no other: a request is charged by one route at
 * most before authentication, and by one at most after. A route has one limit, or several that are granted by {@linkplain Route#and
 * together}. One that is a {@linkplain io.weir.Limit#isShadow shadow} is asked without being waited for, and leaves no trace in the answer. A request that no route matches is not limited. A request is charged once at each
 * position, however often the server dispatches it. A CORS preflight is never charged, since browsers send it unasked; any other
 * {@code OPTIONS} is.
 *
 * <p>A path is read as those who handle it may read it, which is not one way (an encoded slash, dots, parameters). Where two
 * ways lead to different routes, the request is refused with 400, so that nobody gets around a route by writing its path
 * in another way; and so is one that goes up ({@code ..}) past anything encoded, empty or with parameters, wherever it
 * leads. {@linkplain Route#free Free} routes match paths only as they are written.
 */
public final class HttpLimits {

    /**
     * Under this name the decisions on a request are {@linkplain IncomingRequest#keep kept} with it, as a {@code List<Decision>},
     * for handlers that settle what a request has cost in the end.
     */
    public static final String DECISIONS = HttpLimits.class.getName() + ".decisions";

    private static final System.Logger LOG = System.getLogger(HttpLimits.class.getName());

    static final String EXPOSED = "Access-Control-Expose-Headers";

    /** What requests without a key count as where they count together: no other request has an empty key. */
    private static final String NO_KEY = "";

    /** Tells the limits of one application from those of another that the same request passes. */
    private static final AtomicLong COUNT = new AtomicLong();

    private final Map<Position, List<Checkpoint>> checkpoints = new EnumMap<>(Position.class);

    /** Under which name a request is marked that has been at a position. */
    private final Map<Position, String> marks = new EnumMap<>(Position.class);

    private final Weir weir;
    private final HttpMapping mapping;
    private final InstantSource wall;

    private HttpLimits(Builder builder) {
        this.weir = builder.weir;
        this.mapping = builder.mapping;
        this.wall = builder.wall;
        long number = COUNT.incrementAndGet();
        for (Position position : Position.values()) {
            checkpoints.put(position, builder.checkpoints(position));
            marks.put(position, HttpLimits.class.getName() + "." + number + "." + position);
        }
    }

    /** Begins the limits of an application; {@code weir} remains the caller's to close. */
    public static Builder over(Weir weir) {
        return new Builder(Objects.requireNonNull(weir, "weir"));
    }

    /** Whether any request is limited at this position: if not, it needs no filter. */
    public boolean anyAt(Position position) {
        return !at(position).isEmpty();
    }

    /** How decisions are answered. */
    public HttpMapping mapping() {
        return mapping;
    }

    /**
     * Decides on a request, and charges it. Waits for the answer of a bucket's owner no longer than the limit's deadline.
     *
     * @return to go ahead without any fields, if the request is not limited here or was decided on here before
     */
    public HttpAnswer answer(IncomingRequest request, Position position) {
        Step step = step(request, position);
        if (!(step instanceof Step.Ask ask)) {
            return readable(((Step.Answered) step).answer(), request);
        }
        ask.shadows().forEach(Asking::observe);
        if (ask.limits().size() == 1) {
            Asking only = ask.limits().get(0);
            return answer(List.of(only.limiter().tryAcquire(only.key(), only.cost())), request);
        }
        try {
            return answer(decide(ask.limits()).join(), request);
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException bug ? bug : e;
        }
    }

    /** {@link #answer(IncomingRequest, Position)} without waiting, as {@link Limiter#tryAcquireAsync(String, long)}. */
    public CompletableFuture<HttpAnswer> answerAsync(IncomingRequest request, Position position) {
        Step step = step(request, position);
        if (!(step instanceof Step.Ask ask)) {
            return CompletableFuture.completedFuture(readable(((Step.Answered) step).answer(), request));
        }
        ask.shadows().forEach(Asking::observe);
        return decide(ask.limits()).thenApply(decisions -> answer(decisions, request));
    }

    /** Asks all limits at once: all of them grant, or none is charged. */
    private CompletableFuture<List<Decision>> decide(List<Asking> limits) {
        if (limits.size() == 1) {
            Asking only = limits.get(0);
            return only.limiter().tryAcquireAsync(only.key(), only.cost()).thenApply(List::of);
        }
        List<Ask> asks = new ArrayList<>(limits.size());
        for (Asking each : limits) {
            add(asks, each);
        }
        return weir.tryAcquireAsync(asks).thenApply(JointDecision::decisions);
    }

    /** Two routes may ask one limit for one key: they ask for the sum. */
    private static void add(List<Ask> asks, Asking asking) {
        for (int i = 0; i < asks.size(); i++) {
            Ask there = asks.get(i);
            if (there.limiter() == asking.limiter() && there.key().equals(asking.key())) {
                asks.set(i, new Ask(there.limiter(), there.key(), Math.addExact(there.permits(), asking.cost())));
                return;
            }
        }
        asks.add(new Ask(asking.limiter(), asking.key(), asking.cost()));
    }

    private Step step(IncomingRequest request, Position position) {
        List<Checkpoint> here = at(position);
        String mark = Objects.requireNonNull(marks.get(position));
        if (here.isEmpty() || request.kept(mark) != null || isPreflight(request)) {
            return Step.PASS;
        }
        request.keep(mark, true);
        RequestPath path = RequestPath.of(request.path(), request.contextPath());
        if (path.obscure()) {
            return new Step.Answered(mapping.pathAmbiguous());
        }
        Step step = step(here, request, path.split(), path.plain());
        if (path.isAmbiguous()) {
            Step other = step(here, request, path.resolved(), false);
            if (!step.equals(other)) {
                return new Step.Answered(mapping.pathAmbiguous());
            }
        }
        return step;
    }

    private Step step(List<Checkpoint> here, IncomingRequest request, RequestPath.Reading path, boolean plain) {
        for (Checkpoint each : here) {
            Route route = each.route();
            if ((route.isFree() && !plain) || !route.matches(request.method(), path)) {
                continue;
            }
            Step step = step(each, request);
            if (step != null) {
                return step;
            }
        }
        return Step.PASS;
    }

    /** Null if the route does not apply to a request without a key. */
    private @Nullable Step step(Checkpoint at, IncomingRequest request) {
        Route route = at.route();
        if (route.isFree()) {
            return Step.PASS;
        }
        List<Asking> limits = new ArrayList<>(1);
        List<Asking> shadows = List.of();
        for (int i = 0; i < at.limiters().size(); i++) {
            String key = route.charges().get(i).key().resolve(request).orElse(NO_KEY);
            if (key.isEmpty() && route.missingKey() == MissingKey.DENY) {
                return new Step.Answered(mapping.keyMissing());
            }
            if (key.isEmpty() && route.missingKey() == MissingKey.SKIP) {
                return null;
            }
            Limiter limiter = at.limiters().get(i);
            Asking asking = new Asking(limiter, key, route.cost());
            if (limiter.limit().isShadow()) {
                shadows = shadows.isEmpty() ? new ArrayList<>(1) : shadows;
                shadows.add(asking);
            } else {
                limits.add(asking);
            }
        }
        return new Step.Ask(limits, shadows);
    }

    private static boolean isPreflight(IncomingRequest request) {
        return request.method().equals("OPTIONS")
                && !request.field("Origin").isEmpty()
                && !request.field("Access-Control-Request-Method").isEmpty();
    }

    private HttpAnswer answer(List<Decision> made, IncomingRequest request) {
        if (made.isEmpty()) { // all of the route's limits are shadows
            return ((Step.Answered) Step.PASS).answer();
        }
        List<Decision> decisions = made;
        if (request.kept(DECISIONS) instanceof List<?> earlier) {
            List<Decision> all = new ArrayList<>(earlier.size() + made.size());
            for (Object each : earlier) {
                all.add((Decision) each);
            }
            all.addAll(made);
            decisions = List.copyOf(all);
        }
        request.keep(DECISIONS, decisions);
        return readable(mapping.answer(decisions, wall.instant()), request);
    }

    /** Lets scripts of other origins read the fields: without being told so, a browser keeps them to itself. */
    private static HttpAnswer readable(HttpAnswer answer, IncomingRequest request) {
        if (answer.fields().isEmpty() || request.field("Origin").isEmpty()) {
            return answer;
        }
        StringBuilder exposed = new StringBuilder();
        for (String name : answer.fields().keySet()) {
            if (!name.equals("Content-Type")) { // readable anyhow
                exposed.append(exposed.isEmpty() ? "" : ", ").append(name);
            }
        }
        if (exposed.isEmpty()) {
            return answer;
        }
        Fields fields = new Fields();
        answer.fields().forEach(fields::add);
        fields.add(EXPOSED, exposed.toString());
        return answer instanceof HttpAnswer.Denied denied
                ? new HttpAnswer.Denied(denied.status(), fields, denied.body())
                : new HttpAnswer.Granted(fields);
    }

    private List<Checkpoint> at(Position position) {
        return Objects.requireNonNull(checkpoints.get(position));
    }

    /**
     * A route with what decides on it.
     *
     * @param limiters of its charges, in their order; none if the route is free
     */
    private record Checkpoint(Route route, List<Limiter> limiters) {}

    /** What one limit is to be asked. */
    private record Asking(Limiter limiter, String key, long cost) {

        void observe() {
            limiter.observe(key, cost);
        }
    }

    /** What is to be done about a request at a position. */
    private sealed interface Step {

        Step PASS = new Answered(new HttpAnswer.Granted(Map.of()));

        /** Nobody has to be asked. */
        record Answered(HttpAnswer answer) implements Step {}

        /**
         * Limits have to be asked.
         *
         * @param limits which decide
         * @param shadows which only report
         */
        record Ask(List<Asking> limits, List<Asking> shadows) implements Step {}
    }

    /** Collects the routes. Not thread-safe. */
    public static final class Builder {
        private final Weir weir;
        private final List<Route> routes = new ArrayList<>();
        private HttpMapping mapping = HttpMapping.standard();
        private InstantSource wall = InstantSource.system();

        private Builder(Weir weir) {
            this.weir = weir;
        }

        /** Adds a route, behind those that were added before. */
        public Builder route(Route route) {
            routes.add(Objects.requireNonNull(route, "route"));
            return this;
        }

        /** How decisions are answered; {@link HttpMapping#standard()} if not called. */
        public Builder mapping(HttpMapping value) {
            this.mapping = Objects.requireNonNull(value, "mapping");
            return this;
        }

        /** What {@link Dialect#X_EPOCH} goes by; the system's clock if not called. */
        public Builder wall(InstantSource value) {
            this.wall = Objects.requireNonNull(value, "wall");
            return this;
        }

        /**
         * The limits.
         *
         * @throws IllegalArgumentException naming the route: if there is no limit of its name, if a request costs more than the
         *     limit can ever grant, or if no request with a plainly written path can reach it past the routes before
         *     it
         */
        public HttpLimits build() {
            routes.forEach(this::check);
            return new HttpLimits(this);
        }

        private void check(Route route) {
            for (Route.Charge each : route.isFree() ? List.<Route.Charge>of() : route.charges()) {
                String limit = each.limit();
                Limiter limiter = limiter(route, limit);
                long capacity = limiter.limit().rule().algorithm().smallestCapacity();
                if (route.cost() > capacity) {
                    throw new IllegalArgumentException(
                            route + " costs " + route.cost() + ", more than the capacity of limit \"" + limit + "\", "
                                    + capacity + ": no request could ever be granted");
                }
            }
            if (route.needsAuthentication() && route.position() == Position.BEFORE_AUTHENTICATION) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "The key of {0} is known after authentication only, but it is limited before: every request counts"
                                + " as one without a key ({1}).",
                        route,
                        route.missingKey());
            }
        }

        private Limiter limiter(Route route, String limit) {
            try {
                return weir.limiter(limit);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(route + ": " + e.getMessage(), e);
            }
        }

        /** Empty if no request is limited there. */
        private List<Checkpoint> checkpoints(Position position) {
            List<Route> here =
                    routes.stream().filter(route -> route.isAt(position)).toList();
            if (here.stream().allMatch(Route::isFree)) {
                return List.of();
            }
            List<Checkpoint> made = new ArrayList<>();
            for (Route route : here) {
                for (Checkpoint before : made) {
                    if (before.route().hides(route)) {
                        boolean some = before.route().isFree() && !route.isFree();
                        throw new IllegalArgumentException(route + " gets no request"
                                + (some ? " but those whose path is written oddly" : "") + ", since "
                                + (before.route().isFree() ? "the free " : "") + before.route()
                                + " stands before it: put it first");
                    }
                }
                made.add(new Checkpoint(
                        route,
                        route.isFree()
                                ? List.of()
                                : route.charges().stream()
                                        .map(each -> limiter(route, each.limit()))
                                        .toList()));
            }
            return List.copyOf(made);
        }
    }
}
