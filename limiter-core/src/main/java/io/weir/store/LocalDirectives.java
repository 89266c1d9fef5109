package io.weir.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Directives of one JVM, told by whoever publishes them. */
final class LocalDirectives implements Directives {

    private final NanoClock clock;
    private volatile DirectiveTable table = DirectiveTable.empty(UUID.randomUUID());

    /** Guarded by this. */
    private final List<Listener> listeners = new ArrayList<>();

    /** @param clock nanoseconds since 1970 */
    LocalDirectives(NanoClock clock) {
        this.clock = clock;
    }

    @Override
    public synchronized CompletableFuture<Outcome> publish(Directive directive) {
        DirectiveTable before = table;
        DirectiveTable.Offered offered = before.offer(directive, nowMillis());
        table = offered.table();
        if (offered.table().revision() != before.revision()) {
            listeners.removeIf(each -> !each.changed(directive));
            if (table.forgotten() != before.forgotten()) {
                before.entries().stream()
                        .map(each -> each.directive().id())
                        .filter(id -> table.find(id) == null)
                        .forEach(id -> listeners.forEach(each -> each.forgotten(id)));
            }
        }
        return CompletableFuture.completedFuture(offered.outcome());
    }

    @Override
    public Optional<Directive> find(Directive.Id id) {
        return Optional.ofNullable(table.find(id));
    }

    @Override
    public Collection<Directive> all() {
        return table.entries().stream().map(DirectiveTable.Entry::directive).toList();
    }

    @Override
    public synchronized void listen(Listener listener) {
        for (Directive each : all()) {
            if (!listener.changed(each)) {
                return;
            }
        }
        listeners.add(listener);
    }

    @Override
    public long nowMillis() {
        return clock.nanoTime() / 1_000_000;
    }

    @Override
    public Duration behind() {
        return Duration.ZERO;
    }
}
