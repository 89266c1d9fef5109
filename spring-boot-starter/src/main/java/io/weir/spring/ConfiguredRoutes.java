package io.weir.spring;

import io.weir.Weir;
import io.weir.http.Dialect;
import io.weir.http.HttpLimits;
import io.weir.http.HttpMapping;
import io.weir.http.KeyResolver;
import io.weir.http.Route;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** From what is written beneath {@code weir.http} to limits of HTTP requests. */
final class ConfiguredRoutes {

    private static final ConfigurationPropertyName HTTP = ConfigurationPropertyName.of(WeirProperties.PREFIX + ".http");

    private final HttpProperties properties;
    private final ConfiguredKeys keys;
    private final Blame blame;

    ConfiguredRoutes(HttpProperties properties, ConfiguredKeys keys, Blame blame) {
        this.properties = properties;
        this.keys = keys;
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
        return blame.on(
                HTTP.append("jitter"),
                () -> impossible.jitter(
                        properties.jitter(), () -> ThreadLocalRandom.current().nextLong()));
    }

    /**
     * What limits requests.
     *
     * @param more routes that are beans, behind those that are written
     */
    HttpLimits limits(Weir weir, HttpMapping mapping, List<Route> more) {
        HttpLimits.Builder builder = HttpLimits.over(weir).mapping(mapping);
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
                ? free
                : limited(where, written, path, weir);
        Route placed = written.position() == null ? route : route.at(written.position());
        return blame.on(
                where.append("methods"), () -> placed.methods(written.methods().toArray(String[]::new)));
    }

    private Route limited(
            ConfigurationPropertyName where, HttpProperties.RouteProperties written, String path, Weir weir) {
        Route route = written.limits().isEmpty()
                ? Route.limitedBy(
                        limit(where.append("limit"), written.limit(), weir),
                        path,
                        keys.key(where.append("key"), written.key()))
                : several(where, written, path, weir);
        return blame.on(
                where.append("cost"),
                () -> route.missingKey(written.missingKey()).cost(written.cost()));
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
