package io.weir.spring;

import io.weir.Meters;
import io.weir.guard.LoadShedder;
import io.weir.guard.NodeConcurrencyGuard;
import io.weir.http.HttpGuards;
import io.weir.http.KeyResolver;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** From what is written beneath {@code weir.http.shed} and {@code weir.http.concurrency} to guards of HTTP requests. */
final class ConfiguredGuards {

    /** What the load shedder is called in metrics. */
    static final String SHEDDER = "http";

    private static final ConfigurationPropertyName HTTP = ConfigurationPropertyName.of(WeirProperties.PREFIX + ".http");
    private static final ConfigurationPropertyName SHED = HTTP.append("shed");

    private final HttpProperties properties;
    private final ConfiguredKeys keys;
    private final @Nullable Meters meters;
    private final Blame blame;

    ConfiguredGuards(HttpProperties properties, ConfiguredKeys keys, @Nullable Meters meters, Blame blame) {
        this.properties = properties;
        this.keys = keys;
        this.meters = meters;
        this.blame = blame;
    }

    /**
     * The guards.
     *
     * @param own a load shedder that is a bean; null if there is none
     * @param console where the console is, which goes on being shown
     */
    HttpGuards guards(@Nullable LoadShedder own, Optional<String> console) {
        HttpGuards.Builder builder = HttpGuards.create();
        LoadShedder shedder = shedder(own);
        if (shedder == null && properties.concurrency().isEmpty()) {
            return builder.build();
        }
        for (String probe : properties.probes()) {
            blame.on(HTTP.append("probes"), () -> builder.free(probe));
        }
        console.ifPresent(path ->
                blame.on(ConsoleProperties.PATH, () -> builder.free(path + "/").free(path + "/data")));
        if (shedder != null) {
            builder.shed(shedder);
        }
        Set<String> names = new HashSet<>(Set.of(SHEDDER));
        for (int i = 0; i < properties.concurrency().size(); i++) {
            add(
                    builder,
                    HTTP.append("concurrency[" + i + "]"),
                    properties.concurrency().get(i),
                    names);
        }
        return builder.build();
    }

    private @Nullable LoadShedder shedder(@Nullable LoadShedder own) {
        HttpProperties.ShedProperties written = properties.shed();
        if (written == null) {
            return own;
        }
        if (own != null) {
            throw blame.wrong(
                    SHED,
                    "there is a bean of type LoadShedder, too.",
                    "Remove one of the two: what is written beneath weir.http.shed, or the bean.");
        }
        Integer inFlight = written.inFlight();
        if (inFlight == null) {
            throw blame.missing(SHED.append("in-flight"));
        }
        LoadShedder.Builder builder = LoadShedder.named(SHEDDER);
        blame.on(SHED.append("in-flight"), () -> builder.inFlight(inFlight));
        blame.on(SHED.append("retry-after"), () -> builder.retryAfter(written.retryAfter()));
        if (meters != null) {
            builder.meters(meters);
        }
        return builder.build();
    }

    private void add(
            HttpGuards.Builder builder,
            ConfigurationPropertyName where,
            HttpProperties.ConcurrencyProperties written,
            Set<String> names) {
        String name = required(where.append("name"), written.name());
        String path = required(where.append("path"), written.path());
        int calls = required(where.append("calls"), written.calls());
        if (!names.add(name)) {
            throw blame.wrong(where.append("name"), "another guard is called so.", Advice.write(where.append("name")));
        }
        blame.on(where.append("name"), () -> NodeConcurrencyGuard.named(name, 1));
        NodeConcurrencyGuard.Builder guard =
                blame.on(where.append("calls"), () -> NodeConcurrencyGuard.named(name, calls));
        Duration retryAfter = written.retryAfter();
        blame.on(where.append("retry-after"), () -> guard.retryAfter(retryAfter));
        KeyResolver key = KeyResolver.fixed(RateLimited.ALL);
        Integer perKey = written.perKey();
        if (perKey != null) {
            blame.on(where.append("per-key"), () -> guard.perKey(perKey));
            key = keys.key(where.append("key"), written.key());
        } else if (!written.key().isEmpty()) {
            throw blame.wrong(
                    where.append("key"),
                    "without per-key, keys are not told apart.",
                    "Write how many calls may run at once for each key, as in per-key: 2, or remove the key.");
        }
        if (meters != null) {
            guard.meters(meters);
        }
        NodeConcurrencyGuard built = guard.build();
        KeyResolver of = key;
        blame.on(where.append("path"), () -> builder.guard(built, path, of));
    }

    private <T> T required(ConfigurationPropertyName where, @Nullable T written) {
        if (written == null) {
            throw blame.missing(where);
        }
        return written;
    }
}
