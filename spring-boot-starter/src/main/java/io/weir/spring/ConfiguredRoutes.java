package io.weir.spring;

import io.weir.Weir;
import io.weir.http.Dialect;
import io.weir.http.HttpLimits;
import io.weir.http.HttpMapping;
import io.weir.http.KeyResolver;
import io.weir.http.QuotaUse;
import io.weir.http.Route;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** From what is written beneath {@code weir.http} to limits of HTTP requests. */
final class ConfiguredRoutes {

    private static final ConfigurationPropertyName HTTP = ConfigurationPropertyName.of(WeirProperties.PREFIX + ".http");

    private final HttpProperties properties;
    private final ConfiguredKeys keys;
    private final Set<String> quotas;
    private final Blame blame;

    /** @param quotas the names of those that there are */
    ConfiguredRoutes(HttpProperties properties, ConfiguredKeys keys, Set<String> quotas, Blame blame) {
        this.properties = properties;
        this.keys = keys;
        this.quotas = new TreeSet<>(quotas);
        this.blame = blame;
    }

    /** How decisions are answered. */
    HttpMapping mapping() {
        HttpMapping plain = HttpMapping.standard();
        HttpMapping spoken = blame.on(
                HTTP.append("dialects"),
                () -> plain.dialects(properties.dialects().toArray(Dialect[]::new)));
        HttpMapping impossible = blame.on(
                HTTP.append("impossible-status"), () -> spoken.impossibleStatus(properties.impossibleStatus()));
        HttpMapping exhausted = blame.on(
                HTTP.append("exhausted-status"), () -> impossible.exhaustedStatus(properties.exhaustedStatus()));
        RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();
        HttpMapping spread =
                blame.on(HTTP.append("reset-jitter"), () -> exhausted.resetJitter(properties.resetJitter(), random));
        return blame.on(HTTP.append("jitter"), () -> spread.jitter(properties.jitter(), random));
    }

    /**
     * What limits requests.
     *
     * @param builder which has all but routes
     * @param console where the console is, which is free unless there is a route for it
     * @param more routes that are beans, behind those that are written
     */
    HttpLimits limits(Weir weir, HttpLimits.Builder builder, Optional<String> console, List<Route> more) {
        console.filter(path -> properties.routes().stream()
                        .noneMatch(written ->
                                written.path() != null && written.path().startsWith(path)))
                .ifPresent(path -> builder.route(blame.on(ConsoleProperties.PATH, () -> Route.free(path + "/**"))));
        for (String probe : properties.probes()) {
            // A route of the same path says what its author wants. Behind this one it would be refused, since only
            // oddly written paths could reach it.
            if (properties.routes().stream().noneMatch(written -> probe.equals(written.path()))) {
                builder.route(blame.on(HTTP.append("probes"), () -> Route.free(probe)));
            }
        }
        for (int i = 0; i < properties.routes().size(); i++) {
            ConfigurationPropertyName where = HTTP.append("routes[" + i + "]");
            builder.route(route(where, properties.routes().get(i), weir));
        }
        more.forEach(builder::route);
        return blame.on(HTTP.append("routes"), builder::build);
    }

    private Route route(ConfigurationPropertyName where, HttpProperties.RouteProperties written, Weir weir) {
        String path = written.path();
        if (path == null) {
            throw blame.missing(where.append("path"));
        }
        Route free = blame.on(where.append("path"), () -> Route.free(path));
        Route route = written.cost() == 0
                        && written.limit() == null
                        && written.limits().isEmpty()
                        && written.spend() == null
                ? free
                : limited(where, written, path, weir);
        Route placed = written.position() == null ? route : route.at(written.position());
        return blame.on(
                where.append("methods"), () -> placed.methods(written.methods().toArray(String[]::new)));
    }

    private Route limited(
            ConfigurationPropertyName where, HttpProperties.RouteProperties written, String path, Weir weir) {
        HttpProperties.SpendProperties spend = written.spend();
        QuotaUse use = spend == null ? null : use(where.append("spend"), spend);
        Route route;
        if (!written.limits().isEmpty()) {
            route = several(where, written, path, weir);
        } else if (use != null && written.limit() == null && written.key().isEmpty()) {
            route = Route.spending(use, path);
        } else {
            route = Route.limitedBy(
                    limit(where.append("limit"), written.limit(), weir),
                    path,
                    keys.key(where.append("key"), written.key()));
        }
        Route spending = use == null ? route : route.spending(use);
        return blame.on(
                where.append("cost"),
                () -> spending.missingKey(written.missingKey()).cost(written.cost()));
    }

    private QuotaUse use(ConfigurationPropertyName where, HttpProperties.SpendProperties written) {
        QuotaUse use = null;
        for (int i = 0; i < written.quotas().size(); i++) {
            ConfigurationPropertyName place = where.append("quotas[" + i + "]");
            HttpProperties.RouteQuotaProperties each = written.quotas().get(i);
            String name = each.name();
            if (name == null) {
                throw blame.missing(place.append("name"));
            }
            if (!quotas.contains(name)) {
                throw blame.wrong(
                        place.append("name"),
                        "there is no such quota beneath weir.quotas, and those that there are are " + quotas + ".",
                        Advice.write(place.append("name")));
            }
            KeyResolver key = keys.key(place.append("key"), each.key());
            QuotaUse before = use;
            use = before == null
                    ? QuotaUse.of(name, key)
                    : blame.on(where.append("quotas"), () -> before.and(name, key));
        }
        if (use == null) {
            throw blame.missing(where.append("quotas"));
        }
        QuotaUse all = use;
        QuotaUse amount = blame.on(where.append("amount"), () -> all.amount(written.amount()));
        QuotaUse estimated = written.estimated() ? amount.estimated() : amount;
        QuotaUse refunded = written.refundedOnFailure() ? estimated.refundedOnFailure() : estimated;
        return blame.on(where.append("idempotency-keys"), () -> refunded.idempotencyKeys(written.idempotencyKeys()));
    }

    private Route several(
            ConfigurationPropertyName where, HttpProperties.RouteProperties written, String path, Weir weir) {
        if (written.limit() != null || !written.key().isEmpty()) {
            throw blame.wrong(
                    where.append(written.limit() != null ? "limit" : "key"),
                    "this route has several limits, each with a key of its own.",
                    "Remove either the limits, or the limit and the key beside them.");
        }
        Route route = null;
        for (int i = 0; i < written.limits().size(); i++) {
            ConfigurationPropertyName place = where.append("limits[" + i + "]");
            HttpProperties.RouteLimitProperties each = written.limits().get(i);
            String limit = limit(place.append("name"), each.name(), weir);
            KeyResolver key = keys.key(place.append("key"), each.key());
            route = route == null ? Route.limitedBy(limit, path, key) : route.and(limit, key);
        }
        return Objects.requireNonNull(route, "there is at least one");
    }

    private String limit(ConfigurationPropertyName where, @Nullable String written, Weir weir) {
        if (written == null) {
            throw blame.missing(where);
        }
        return blame.on(where, () -> weir.limiter(written)).limit().name();
    }
}
