package io.weir;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Rule;
import io.weir.store.Buckets;
import io.weir.store.Directive;
import io.weir.store.Directives;
import io.weir.store.StoredKey;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one limit that have numbers of their own. Thread-safe; asked on the way of every request, and costs next to nothing while
 * there are none.
 *
 * <p>A key that has its limit's numbers again stays here: its bucket is to learn that, and does so by the {@linkplain KeyVersion higher
 * version}. It does so also when the directive that said so is forgotten, since its bucket does not forget, and takes other numbers of the limit
 * from nobody who asks under a lower one.
 */
final class Overrides {

    private final Buckets buckets;
    private final Returns returns;
    private final ConcurrentHashMap<String, Asked> asked = new ConcurrentHashMap<>();

    // Guarded by this:
    private final Map<String, Directive> said = new HashMap<>();
    /** The last version of keys of which nothing is said any more, the oldest first. At most {@link Directives#MOST}. */
    private final Map<String, Long> forgotten = new LinkedHashMap<>();

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
        String key = directive.id().key();
        Rule rule = ruleOf(directive, limit);
        if (forgotten.remove(key) != null) {
            buckets.override(key, null); // it may begin at a lower version, if its bucket was gone when it was set
        }
        put(key, rule, limit);
        said.put(key, directive);
    }

    /** The limit's own numbers have changed: they are in what keys are asked under, too. */
    synchronized void change(Limit changed) {
        said.forEach((key, each) -> put(key, ruleOf(each, changed), changed));
        forgotten.forEach((key, version) -> put(key, ruleOf(version, changed), changed));
        limit = changed;
    }

    /** A key's numbers were cleared so long ago that it is not remembered any more. */
    synchronized void forget(String storedKey) {
        Directive last = said.remove(storedKey);
        if (last == null) {
            return;
        }
        forgotten.put(storedKey, last.version());
        if (forgotten.size() > Directives.MOST) {
            Iterator<String> keys = forgotten.keySet().iterator();
            String oldest = keys.next();
            keys.remove();
            asked.remove(oldest);
            buckets.override(oldest, null);
        }
    }

    private static Rule ruleOf(Directive directive, Limit under) {
        return directive.content() instanceof Directive.KeyNumbers numbers
                ? ruleOf(directive.version(), numbers.rule().algorithm(), under)
                : ruleOf(directive.version(), under);
    }

    /** Of a key that has its limit's numbers again. */
    private static Rule ruleOf(long version, Limit under) {
        return ruleOf(version, under.rule().algorithm(), under);
    }

    private static Rule ruleOf(long version, Algorithm algorithm, Limit under) {
        return new Rule(
                KeyVersion.of(version, under.rule().version()),
                algorithm,
                under.isStrictPartitions(),
                under.rule().carryOver());
    }

    private void put(String key, Rule rule, Limit under) {
        buckets.override(key, rule);
        asked.put(key, new Asked(under.under(rule), returns));
    }
}
