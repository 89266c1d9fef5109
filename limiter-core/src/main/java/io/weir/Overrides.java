package io.weir;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Rule;
import io.weir.store.Buckets;
import io.weir.store.Directive;
import io.weir.store.StoredKey;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one limit that have numbers of their own. Thread-safe; asked on the way of every request, and costs next to nothing while
 * there are none.
 *
 * <p>A key that has its limit's numbers again stays here: its bucket is to learn that, and does so by the {@linkplain KeyVersion higher
 * version}.
 */
final class Overrides {

    private final Buckets buckets;
    private final Returns returns;
    private final ConcurrentHashMap<String, Asked> asked = new ConcurrentHashMap<>();

    // Guarded by this:
    private final Map<String, Directive> said = new HashMap<>();
    private Limit limit;

    Overrides(Limit limit, Buckets buckets, Returns returns) {
        this.limit = limit;
        this.buckets = buckets;
        this.returns = returns;
    }

    boolean isEmpty() {
        return asked.isEmpty();
    }

    /** What a key is asked under, if that is not simply its limit; else null. */
    @Nullable
    Asked of(String key) {
        return asked.get(StoredKey.wellFormed(key));
    }

    /**
     * Something was said of a key's numbers.
     *
     * @throws IllegalArgumentException if they cannot be numbers of this limit; nothing changes then
     */
    synchronized void apply(Directive directive) {
        put(directive, limit);
        said.put(directive.id().key(), directive);
    }

    /** The limit's own numbers have changed: they are in what keys are asked under, too. */
    synchronized void change(Limit changed) {
        said.values().forEach(each -> put(each, changed));
        limit = changed;
    }

    /** Nothing was said of a key for so long that it is not remembered any more. */
    synchronized void forget(String storedKey) {
        said.remove(storedKey);
        asked.remove(storedKey);
        buckets.override(storedKey, null);
    }

    private void put(Directive directive, Limit under) {
        String key = directive.id().key();
        Algorithm algorithm = directive.content() instanceof Directive.KeyNumbers numbers
                ? numbers.rule().algorithm()
                : under.rule().algorithm();
        long version = KeyVersion.of(directive.version(), under.rule().version());
        Rule rule = new Rule(
                version, algorithm, under.isStrictPartitions(), under.rule().carryOver());
        buckets.override(key, rule);
        asked.put(key, new Asked(under.under(rule), returns));
    }
}
