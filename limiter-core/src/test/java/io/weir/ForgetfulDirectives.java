package io.weir;

import io.weir.store.Directive;
import io.weir.store.Directives;
import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Whose table forgets all there is in it, as a full one does of what was withdrawn a day ago. */
final class ForgetfulDirectives implements Directives {

    private final NanoClock clock;
    private final List<Listener> listeners = new ArrayList<>();
    private Directives table;

    ForgetfulDirectives(NanoClock clock) {
        this.clock = clock;
        this.table = Directives.local(clock);
    }

    void forgetAll() {
        Collection<Directive> before = table.all();
        table = Directives.local(clock);
        listeners.forEach(table::listen);
        before.forEach(directive -> listeners.forEach(each -> each.forgotten(directive.id())));
    }

    @Override
    public CompletableFuture<Outcome> publish(Directive directive) {
        return table.publish(directive);
    }

    @Override
    public Optional<Directive> find(Directive.Id id) {
        return table.find(id);
    }

    @Override
    public Collection<Directive> all() {
        return table.all();
    }

    @Override
    public void listen(Listener listener) {
        listeners.add(listener);
        table.listen(listener);
    }

    @Override
    public long nowMillis() {
        return table.nowMillis();
    }

    @Override
    public Duration behind() {
        return table.behind();
    }
}
