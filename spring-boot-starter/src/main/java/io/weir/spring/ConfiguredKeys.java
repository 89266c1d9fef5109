package io.weir.spring;

import io.weir.http.ClientAddress;
import io.weir.http.KeyResolver;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** From what is written as a key to who is asking. */
final class ConfiguredKeys {

    private static final ConfigurationPropertyName ADDRESS =
            ConfigurationPropertyName.of(WeirProperties.PREFIX + ".http.client-address");

    private static final String FIELD = "header:";
    private static final String SECRET_FIELD = "secret-header:";

    private final HttpProperties properties;
    private final Map<String, KeyResolver> resolvers;
    private final Blame blame;

    /** @param resolvers the beans of that type, by name */
    ConfiguredKeys(HttpProperties properties, Map<String, KeyResolver> resolvers, Blame blame) {
        this.properties = properties;
        this.resolvers = resolvers;
        this.blame = blame;
    }

    /**
     * All that is written, as one key.
     *
     * @throws Misconfiguration if nothing is, or something else than a key
     */
    KeyResolver key(ConfigurationPropertyName where, List<String> written) {
        return written.stream()
                .map(each -> key(where, each))
                .reduce(KeyResolver::and)
                .orElseThrow(() -> blame.missing(where));
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
        ClientAddress behind = blame.on(
                ADDRESS.append("trusted-proxies"),
                () -> ClientAddress.ofConnection()
                        .behind(written.trustedProxies().toArray(String[]::new)));
        return blame.on(
                ADDRESS.append("ipv6-prefix"),
                () -> behind.readFrom(written.readFrom()).ipv6Prefix(written.ipv6Prefix()));
    }
}
