package io.weir;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Rule;
import io.weir.store.Buckets;
import io.weir.store.Directive;
import io.weir.store.Directives;
import io.weir.store.StoredKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one limit that have numbers of their own. Thread-safe; asked on the way of every request, and costs next to nothing while
 * there are none.
 *
 * <pre>
 *   what a directive says              under the directive's version and the limit's
 *   else what the definition gives     under the limit's version, of which it is a part
 *   else the limit's numbers
 * </pre>
 *
 * <p>A key of which a directive says nothing any more stays here: its bucket is to learn that, and does so by the {@linkplain KeyVersion higher
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
        limit.overrides().keySet().forEach(key -> put(key, ruleOf(key, 0, limit), limit));
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
        Rule rule = ruleOf(key, directive, limit);
        if (forgotten.remove(key) != null) {
            buckets.override(key, null); // it may begin at a lower version, if its bucket was gone when it was set
        }
        put(key, rule, limit);
        said.put(key, directive);
    }

    /**
     * The limit's definition has changed: it is in what keys are asked under, too. Keys that it names no more have its numbers from now
     * on, and stay until they are {@linkplain #release released}: the store may still have the numbers of before for all others.
     */
    synchronized void change(Limit changed) {
        Set<String> keys = new HashSet<>(asked.keySet());
        keys.addAll(changed.overrides().keySet());
        for (String key : keys) {
            Directive directive = said.get(key);
            Rule rule = directive != null
                    ? ruleOf(key, directive, changed)
                    : ruleOf(key, forgotten.getOrDefault(key, 0L), changed);
            put(key, rule, changed);
        }
        limit = changed;
    }

    /**
     * Checks that keys can go on with their numbers under a changed definition.
     *
     * @throws IllegalArgumentException if its algorithm cannot count by those of one
     */
    synchronized void requireCountable(Limit changed) {
        said.forEach((key, directive) -> ruleOf(key, directive, changed));
    }

    /** Lets go of the keys of which nothing is said, now that the store counts all others by the limit as it is. */
    synchronized void release() {
        for (String key : asked.keySet()) {
            if (!said.containsKey(key)
                    && !forgotten.containsKey(key)
                    && !limit.overrides().containsKey(key)) {
                drop(key);
            }
        }
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
            drop(oldest);
            if (limit.overrides().containsKey(oldest)) { // at a lower version than before, as the limit's own are
                put(oldest, ruleOf(oldest, 0, limit), limit);
            }
        }
    }

    private static Rule ruleOf(String key, Directive directive, Limit under) {
        return directive.content() instanceof Directive.KeyNumbers numbers
                ? ruleOf(directive.version(), under.counted(numbers.rule().algorithm()), under)
                : ruleOf(key, directive.version(), under);
    }

    /** Of a key of which no directive says numbers. */
    private static Rule ruleOf(String key, long version, Limit under) {
        Algorithm defined = under.overrides().getOrDefault(key, under.rule().algorithm());
        return ruleOf(version, defined, under);
    }

    private static Rule ruleOf(long version, Algorithm algorithm, Limit under) {
        return new Rule(
                KeyVersion.of(under.name(), version, under.rule().version()),
                algorithm,
                under.isStrictPartitions(),
                under.rule().carryOver());
    }

    private void drop(String key) {
        asked.remove(key);
        buckets.override(key, null);
    }

    private void put(String key, Rule rule, Limit under) {
        buckets.override(key, rule);
        asked.put(key, new Asked(under.under(rule), returns));
    }
}
