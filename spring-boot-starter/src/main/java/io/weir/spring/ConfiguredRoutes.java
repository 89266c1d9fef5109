package io.weir.spring;

import io.weir.Weir;
import io.weir.http.ClientAddress;
import io.weir.http.Dialect;
import io.weir.http.HttpLimits;
import io.weir.http.HttpMapping;
import io.weir.http.KeyResolver;
import io.weir.http.Route;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** From what is written beneath {@code weir.http} to limits of HTTP requests. */
final class ConfiguredRoutes {

    private static final ConfigurationPropertyName HTTP = ConfigurationPropertyName.of(WeirProperties.PREFIX + ".http");

    private static final String FIELD = "header:";
    private static final String SECRET_FIELD = "secret-header:";

    private final HttpProperties properties;
    private final Map<String, KeyResolver> resolvers;
    private final Blame blame;

    /** @param resolvers the beans of that type, by name */
    ConfiguredRoutes(HttpProperties properties, Map<String, KeyResolver> resolvers, Blame blame) {
        this.properties = properties;
        this.resolvers = resolvers;
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
        Route route = written.cost() == 0 && written.limit() == null ? free : limited(where, written, path, weir);
        Route placed = written.position() == null ? route : route.at(written.position());
        return blame.on(
                where.append("methods"), () -> placed.methods(written.methods().toArray(String[]::new)));
    }

    private Route limited(
            ConfigurationPropertyName where, HttpProperties.RouteProperties written, String path, Weir weir) {
        String limit = written.limit();
        if (limit == null) {
            throw blame.missing(where.append("limit"));
        }
        blame.on(where.append("limit"), () -> weir.limiter(limit));
        if (written.key().isEmpty()) {
            throw blame.missing(where.append("key"));
        }
        KeyResolver key = written.key().stream()
                .map(each -> key(where.append("key"), each))
                .reduce(KeyResolver::and)
                .orElseThrow();
        return blame.on(
                where.append("cost"),
                () -> Route.limitedBy(limit, path, key)
                        .missingKey(written.missingKey())
                        .cost(written.cost()));
    }

    private KeyResolver key(ConfigurationPropertyName where, String written) {
        KeyResolver own = resolvers.get(written);
        if (own != null) {
            return own;
        }
        if (written.startsWith(FIELD)) {
            return blame.on(where, () -> KeyResolver.field(written.substring(FIELD.length())));
        }
        if (written.startsWith(SECRET_FIELD)) {
            return blame.on(
                    where,
                    () -> KeyResolver.field(written.substring(SECRET_FIELD.length()))
                            .hashed());
        }
        return switch (written) {
            case "client-address" -> clientAddress();
            case "principal" -> KeyResolver.principal();
            case "all" -> KeyResolver.fixed(RateLimited.ALL);
            default ->
                throw blame.wrong(
                        where,
                        "\"" + written + "\" is no key, and the beans of type KeyResolver are "
                                + new TreeSet<>(resolvers.keySet()) + ".",
                        Advice.write(where));
        };
    }

    private ClientAddress clientAddress() {
        HttpProperties.ClientAddressProperties written = properties.clientAddress();
        ConfigurationPropertyName where = HTTP.append("client-address");
        ClientAddress behind = blame.on(
                where.append("trusted-proxies"),
                () -> ClientAddress.ofConnection()
                        .behind(written.trustedProxies().toArray(String[]::new)));
        return blame.on(
                where.append("ipv6-prefix"),
                () -> behind.readFrom(written.readFrom()).ipv6Prefix(written.ipv6Prefix()));
    }
}
