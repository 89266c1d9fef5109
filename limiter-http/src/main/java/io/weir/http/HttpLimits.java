package io.weir.http;

import io.weir.Ask;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Weir;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
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
 * together}. One that is a {@linkplain io.weir.Limit#isShadow shadow} is asked without being waited for, and changes nothing of
 * what is answered: a route of shadows alone leaves the request to the routes behind it. A request that no route matches is not limited. A request is charged once at each
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

    /**
     * Under this name what the request has taken of its {@linkplain Route#spending quotas} is kept with it, as a {@link QuotaCharge}, for handlers
     * that settle an estimate.
     */
    public static final String QUOTA = "io.weir.http.HttpLimits.quota"; // a constant, for annotations

    private static final System.Logger LOG = System.getLogger(HttpLimits.class.getName());

    static final String EXPOSED = "Access-Control-Expose-Headers";

    /** What requests without a key count as where they count together: no other request has an empty key. */
    private static final String NO_KEY = "";

    private static final HttpAnswer GO_AHEAD = new HttpAnswer.Granted(Map.of());

    /** Tells the limits of one application from those of another that the same request passes. */
    private static final AtomicLong COUNT = new AtomicLong();

    private final Map<Position, List<Checkpoint>> checkpoints = new EnumMap<>(Position.class);

    /** Under which name a request is marked that has been at a position. */
    private final Map<Position, String> marks = new EnumMap<>(Position.class);

    private final Weir weir;
    private final HttpMapping mapping;
    private final InstantSource wall;
    private final @Nullable HttpQuotas quotas;

    /** Null if nobody waits for quotas but the thread of a request. */
    private final @Nullable Executor quotaExecutor;

    private HttpLimits(Builder builder, List<Checkpoint> made) {
        this.weir = builder.weir;
        this.mapping = builder.mapping;
        this.wall = builder.wall;
        this.quotas = builder.quotas;
        this.quotaExecutor = builder.quotaExecutor;
        long number = COUNT.incrementAndGet();
        for (Position position : Position.values()) {
            checkpoints.put(position, Builder.at(position, made));
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
     * Decides on a request, and charges it. Waits for the answer of a bucket's owner no longer than the limit's deadline, and of quotas
     * no longer than theirs.
     *
     * @return to go ahead without any fields, if the request is not limited here or was decided on here before
     */
    public HttpAnswer answer(IncomingRequest request, Position position) {
        Step step = step(request, position);
        step.shadows().forEach(Asking::observe);
        if (step.answer() != null) {
            return readable(step.answer(), request);
        }
        return readable(spend(step, limited(step, request), request), request);
    }

    private HttpAnswer limited(Step step, IncomingRequest request) {
        if (step.limits().isEmpty()) {
            return GO_AHEAD;
        }
        if (step.limits().size() == 1) {
            Asking only = step.limits().get(0);
            return answer(List.of(only.limiter().tryAcquire(only.key(), only.cost())), request);
        }
        return answer(weir.tryAcquire(asks(step.limits())).decisions(), request);
    }

    /**
     * {@link #answer(IncomingRequest, Position)} without waiting, as {@link Limiter#tryAcquireAsync(String, long)}; quotas are waited for by
     * their executor. If that takes no more, they count as unavailable.
     *
     * @throws IllegalStateException if the route spends quotas, and {@link Builder#quotas(HttpQuotas, Executor)} was not given an executor
     */
    public CompletableFuture<HttpAnswer> answerAsync(IncomingRequest request, Position position) {
        Step step = step(request, position);
        step.shadows().forEach(Asking::observe);
        if (step.answer() != null) {
            return CompletableFuture.completedFuture(readable(step.answer(), request));
        }
        if (step.spending() == null) {
            return limitedAsync(step, request).thenApply(answer -> readable(answer, request));
        }
        if (quotaExecutor == null) {
            throw new IllegalStateException(
                    "quotas may wait, and there is no executor for that: call .quotas(quotas, executor)");
        }
        return limitedAsync(step, request)
                .thenCompose(limited -> limited instanceof HttpAnswer.Denied
                        ? CompletableFuture.completedFuture(limited)
                        : elsewhere(() -> spend(step, limited, request), limited, quotaExecutor))
                .thenApply(answer -> readable(answer, request));
    }

    private CompletableFuture<HttpAnswer> elsewhere(
            Supplier<HttpAnswer> spending, HttpAnswer limited, Executor executor) {
        try {
            return CompletableFuture.supplyAsync(spending, executor);
        } catch (RejectedExecutionException e) {
            // Too many wait already: the same as a ledger that does not answer in time.
            return CompletableFuture.completedFuture(withMeter(mapping.answer(new QuotaAnswer.Unavailable()), limited));
        }
    }

    private CompletableFuture<HttpAnswer> limitedAsync(Step step, IncomingRequest request) {
        if (step.limits().isEmpty()) {
            return CompletableFuture.completedFuture(GO_AHEAD);
        }
        if (step.limits().size() == 1) {
            Asking only = step.limits().get(0);
            return only.limiter()
                    .tryAcquireAsync(only.key(), only.cost())
                    .thenApply(decision -> answer(List.of(decision), request));
        }
        return weir.tryAcquireAsync(asks(step.limits())).thenApply(decision -> answer(decision.decisions(), request));
    }

    /** Takes what the request costs of its quotas, if its limits have let it through. */
    private HttpAnswer spend(Step step, HttpAnswer limited, IncomingRequest request) {
        Spending spending = step.spending();
        if (spending == null || limited instanceof HttpAnswer.Denied) {
            return limited;
        }
        QuotaAnswer answer = Objects.requireNonNull(quotas).take(spending.asked());
        if (answer instanceof QuotaAnswer.Denied denied) {
            return withMeter(mapping.answer(denied), limited);
        }
        request.keep(QUOTA, new QuotaCharge(spending.asked(), (QuotaAnswer.Granted) answer, spending.use()));
        return limited;
    }

    /** The limits were charged, and are told of. */
    private static HttpAnswer.Denied withMeter(HttpAnswer.Denied denied, HttpAnswer limited) {
        Fields fields = new Fields();
        denied.fields().forEach(fields::add);
        limited.fields().forEach(fields::add);
        return new HttpAnswer.Denied(denied.status(), fields, denied.body());
    }

    /** For all limits at once: all of them grant, or none is charged. */
    private static List<Ask> asks(List<Asking> limits) {
        List<Ask> asks = new ArrayList<>(limits.size());
        for (Asking each : limits) {
            add(asks, each);
        }
        return asks;
    }

    /** Two routes may ask one limit for one key: they ask for the sum. */
    private static void add(List<Ask> asks, Asking asking) {
        for (int i = 0; i < asks.size(); i++) {
            Ask there = asks.get(i);
            if (there.limiter() == asking.limiter() && there.key().equals(asking.key())) {
                long room = Long.MAX_VALUE - there.permits(); // more than that is no less impossible
                asks.set(i, new Ask(there.limiter(), there.key(), there.permits() + Math.min(room, asking.cost())));
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
            return Step.answered(mapping.pathAmbiguous());
        }
        Step step = step(here, request, path.split(), path.plain());
        if (path.isAmbiguous() && !step.enforcesAs(step(here, request, path.resolved(), false))) {
            return Step.answered(mapping.pathAmbiguous());
        }
        return step;
    }

    private Step step(List<Checkpoint> here, IncomingRequest request, RequestPath.Reading path, boolean plain) {
        List<Asking> reported = List.of();
        for (Checkpoint each : here) {
            Route route = each.route();
            if ((route.isFree() && !plain) || !route.matches(request.method(), path)) {
                continue;
            }
            if (each.onlyReports()) {
                reported = withShadows(reported, each, request);
                continue;
            }
            Step step = step(each, request, reported);
            if (step != null) {
                return step;
            }
        }
        return reported.isEmpty() ? Step.PASS : new Step(GO_AHEAD, List.of(), reported, null);
    }

    /**
     * Null if the route does not apply to a request without a key.
     *
     * @param reported shadows of routes before this one
     */
    private @Nullable Step step(Checkpoint at, IncomingRequest request, List<Asking> reported) {
        Route route = at.route();
        if (route.isFree()) {
            return reported.isEmpty() ? Step.PASS : new Step(GO_AHEAD, List.of(), reported, null);
        }
        List<Asking> limits = new ArrayList<>(at.enforced().size());
        for (Checkpoint.Charged each : at.enforced()) {
            String key = each.key().resolve(request).orElse(NO_KEY);
            if (key.isEmpty() && route.missingKey() == MissingKey.DENY) {
                return Step.answered(mapping.keyMissing());
            }
            if (key.isEmpty() && route.missingKey() == MissingKey.SKIP) {
                return null;
            }
            limits.add(new Asking(each.limiter(), key, route.cost()));
        }
        List<Asking> shadows = withShadows(reported, at, request);
        QuotaUse quota = route.quota();
        if (quota == null) {
            return new Step(null, limits, shadows, null);
        }
        List<QuotaRequest.Part> parts = new ArrayList<>(quota.payers().size());
        for (QuotaUse.Payer each : quota.payers()) {
            String key = each.key().resolve(request).orElse(NO_KEY);
            if (key.isEmpty() && route.missingKey() == MissingKey.DENY) {
                return Step.answered(mapping.keyMissing());
            }
            if (key.isEmpty() && route.missingKey() == MissingKey.SKIP) {
                return null;
            }
            parts.add(new QuotaRequest.Part(each.quota(), key));
        }
        String idempotencyKey = idempotencyKey(quota.idempotencyKeys(), request);
        if (idempotencyKey == null) {
            return Step.answered(mapping.idempotencyKeyWrong());
        }
        long amount = quota.amountOf(request);
        return new Step(
                null,
                limits,
                shadows,
                amount == 0
                        ? null
                        : new Spending(
                                quota,
                                new QuotaRequest(
                                        parts,
                                        amount,
                                        quota.isEstimate(),
                                        idempotencyKey.isEmpty() ? null : idempotencyKey)));
    }

    /** Those of {@code at} as well, except for those that know no key to count under: they must not refuse for that. */
    private static List<Asking> withShadows(List<Asking> reported, Checkpoint at, IncomingRequest request) {
        if (at.shadows().isEmpty()) {
            return reported;
        }
        List<Asking> all = new ArrayList<>(reported);
        for (Checkpoint.Charged each : at.shadows()) {
            String key = each.key().resolve(request).orElse(NO_KEY);
            if (!key.isEmpty() || at.route().missingKey() == MissingKey.SHARED) {
                all.add(new Asking(each.limiter(), key, at.route().cost()));
            }
        }
        return all;
    }

    /**
     * What the client calls this request, with method and path before it, so that one key does not pay for two things; empty if it says nothing that is heard, and
     * null if it says it wrongly.
     */
    private static @Nullable String idempotencyKey(IdempotencyKeys heard, IncomingRequest request) {
        if (heard == IdempotencyKeys.IGNORED) {
            return "";
        }
        List<String> lines = request.field(IdempotencyField.NAME);
        if (lines.isEmpty() && heard == IdempotencyKeys.ACCEPTED) {
            return "";
        }
        return IdempotencyField.key(lines)
                .map(key -> request.method() + " " + request.path() + " " + key)
                .orElse(null);
    }

    private static boolean isPreflight(IncomingRequest request) {
        return request.method().equals("OPTIONS")
                && !request.field("Origin").isEmpty()
                && !request.field("Access-Control-Request-Method").isEmpty();
    }

    private HttpAnswer answer(List<Decision> made, IncomingRequest request) {
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
        return mapping.answer(decisions, wall.instant());
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

    /** What one limit is to be asked. */
    private record Asking(Limiter limiter, String key, long cost) {

        void observe() {
            limiter.observe(key, cost);
        }
    }

    /** What is to be taken of quotas. */
    private record Spending(QuotaUse use, QuotaRequest asked) {}

    /**
     * What is to be done about a request at a position.
     *
     * @param answer null if limits have to be asked for it
     * @param limits which decide; none if the answer is known
     * @param shadows which only report
     * @param spending null if no quota is spent
     */
    private record Step(
            @Nullable HttpAnswer answer,
            List<Asking> limits,
            List<Asking> shadows,
            @Nullable Spending spending) {

        static final Step PASS = answered(GO_AHEAD);

        static Step answered(HttpAnswer answer) {
            return new Step(answer, List.of(), List.of(), null);
        }

        boolean enforcesAs(Step other) {
            return Objects.equals(answer, other.answer)
                    && limits.equals(other.limits)
                    && Objects.equals(spending, other.spending);
        }
    }

    /** Collects the routes. Not thread-safe. */
    public static final class Builder {
        private final Weir weir;
        private final List<Route> routes = new ArrayList<>();
        private HttpMapping mapping = HttpMapping.standard();
        private InstantSource wall = InstantSource.system();
        private @Nullable HttpQuotas quotas;
        private @Nullable Executor quotaExecutor;

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

        /** What keeps the quotas that routes spend, for servers that have a thread for each request; others need the other one of this name. */
        public Builder quotas(HttpQuotas value) {
            this.quotas = Objects.requireNonNull(value, "quotas");
            return this;
        }

        /**
         * What keeps the quotas that routes spend.
         *
         * @param executor whose threads wait for it where {@link HttpLimits#answerAsync} is asked; bound it, and what it lets wait
         */
        public Builder quotas(HttpQuotas value, Executor executor) {
            this.quotaExecutor = Objects.requireNonNull(executor, "executor");
            return quotas(value);
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
         *     limit can ever grant, where a limit is there twice with one key the sum of both, if it has more than 32 limits, or if no request with a plainly written path can reach it past the routes before
         *     it
         */
        public HttpLimits build() {
            List<Checkpoint> made = new ArrayList<>(routes.size());
            routes.forEach(each -> made.add(Checkpoint.of(each, weir)));
            routes.forEach(this::requireQuotas);
            made.forEach(Builder::warn);
            return new HttpLimits(this, made);
        }

        private void requireQuotas(Route route) {
            QuotaUse use = route.quota();
            if (use != null && quotas == null) {
                throw new IllegalArgumentException(
                        route + " spends quota " + use.quotas() + ", but nothing keeps quotas: call .quotas(..)");
            }
        }

        private static void warn(Checkpoint made) {
            if (made.position() == Position.AFTER_AUTHENTICATION) {
                return;
            }
            QuotaUse quota = made.route().quota();
            if ((quota != null && quota.needsAuthentication()) || Checkpoint.needsAuthentication(made.enforced())) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "The key of {0} is known after authentication only, but it is limited before: every request counts"
                                + " as one without a key ({1}).",
                        made.route(),
                        made.route().missingKey());
            } else if (Checkpoint.needsAuthentication(made.shadows())) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "A shadow on {0} has a key that is known after authentication only, but the route is limited before:"
                                + " it finds no key. Give it a route of its own.",
                        made.route());
            }
        }

        /** Empty if no request is limited there. */
        private static List<Checkpoint> at(Position position, List<Checkpoint> made) {
            List<Checkpoint> here =
                    made.stream().filter(each -> each.isAt(position)).toList();
            if (here.stream().allMatch(each -> each.route().isFree())) {
                return List.of();
            }
            for (int i = 0; i < here.size(); i++) {
                for (Checkpoint before : here.subList(0, i)) {
                    if (before.hides(here.get(i))) {
                        throw hidden(here.get(i).route(), before.route());
                    }
                }
            }
            return here;
        }

        private static IllegalArgumentException hidden(Route route, Route before) {
            boolean some = before.isFree() && !route.isFree();
            return new IllegalArgumentException(route + " gets no request"
                    + (some ? " but those whose path is written oddly" : "") + ", since "
                    + (before.isFree() ? "the free " : "") + before
                    + " stands before it: put it first");
        }
    }
}
