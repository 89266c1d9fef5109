package io.weir;

import io.weir.store.Directive;
import io.weir.store.Directives;
import io.weir.store.NanoClock;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The limits as they are now: those that the application was built with, and what {@linkplain Directives directives} have made
 * of them since. Thread-safe.
 *
 * <p>A directive that cannot be applied here changes nothing, and is spoken of once.
 */
final class LiveLimits {

    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());

    private final Directives directives;
    private final NanoClock clock;
    private final BiFunction<LiveLimits, Limit, Limiter> maker;
    private final Set<String> built;
    private final Blocks everywhere = new Blocks();

    /** Replaced as a whole; unmodifiable, in the order in which limits were added. */
    private volatile Map<String, Limiter> limiters;

    /**
     * Follows {@code directives} from now on, for as long as it or one of its limiters is referred to.
     *
     * @param limits what the application was built with, by name
     * @param maker makes the limiter of a limit, or throws {@link IllegalArgumentException} if there can be none here
     */
    static LiveLimits of(
            Map<String, Limit> limits,
            Directives directives,
            NanoClock clock,
            BiFunction<LiveLimits, Limit, Limiter> maker) {
        LiveLimits live = new LiveLimits(limits, directives, clock, maker);
        WeakReference<LiveLimits> reference = new WeakReference<>(live); // the store may outlive us
        directives.listen(new Following(reference));
        return live;
    }

    private record Following(WeakReference<LiveLimits> live) implements Directives.Listener {

        @Override
        public boolean changed(Directive directive) {
            LiveLimits alive = live.get();
            if (alive != null) {
                alive.follow(directive);
            }
            return alive != null;
        }

        @Override
        public void forgotten(Directive.Id id) {
            LiveLimits alive = live.get();
            if (alive != null && id.kind() == Directive.Kind.OVERRIDE) {
                alive.forget(id);
            }
        }
    }

    private synchronized void forget(Directive.Id override) {
        Limiter limiter = limiters.get(override.limit());
        if (limiter != null) {
            limiter.asking().overrides().forget(override.key());
        }
    }

    private LiveLimits(
            Map<String, Limit> limits,
            Directives directives,
            NanoClock clock,
            BiFunction<LiveLimits, Limit, Limiter> maker) {
        this.directives = directives;
        this.clock = clock;
        this.maker = maker;
        this.built = Set.copyOf(limits.keySet());
        Map<String, Limiter> made = new LinkedHashMap<>();
        limits.forEach((name, limit) -> made.put(name, maker.apply(this, limit)));
        this.limiters = Collections.unmodifiableMap(made);
        putShadowsBeside();
    }

    /** By name, in the order in which they were added; unmodifiable. */
    Map<String, Limiter> limiters() {
        return limiters;
    }

    Directives directives() {
        return directives;
    }

    /** Keys that are denied under every limit. */
    Blocks everywhere() {
        return everywhere;
    }

    /** Whether the application was built with a limit of that name, and goes on with it if its definition is withdrawn. */
    boolean isBuilt(String name) {
        return built.contains(name);
    }

    /** Puts other numbers in force on this node. */
    synchronized void change(Limiter limiter, Limit changed) {
        requireChangeable(limiter.limit(), changed);
        limiter.change(changed);
    }

    /**
     * Checks that a limit can take the place of another.
     *
     * @throws IllegalArgumentException if it is older, or differs in more than its numbers
     */
    static void requireChangeable(Limit present, Limit changed) {
        String name = present.name();
        if (changed.rule().version() < present.rule().version()) {
            throw new IllegalArgumentException("limit \"" + name + "\" is at version "
                    + present.rule().version() + " and cannot go back to "
                    + changed.rule().version());
        }
        boolean sameVersion = changed.rule().version() == present.rule().version();
        if (sameVersion && !changed.rule().equals(present.rule())) {
            throw new IllegalArgumentException("limit \"" + name + "\" is at version "
                    + present.rule().version() + " already, with other numbers: raise the version");
        }
        if (sameVersion && !changed.overrides().equals(present.overrides())) {
            throw new IllegalArgumentException("limit \"" + name + "\" is at version "
                    + present.rule().version() + " already, with other overrides: raise the version");
        }
        if (changed.failurePolicy() != present.failurePolicy()) {
            throw new IllegalArgumentException("limit \"" + name + "\" answers an outage with "
                    + present.failurePolicy() + ", which cannot be changed to " + changed.failurePolicy()
                    + " while it is in use");
        }
        if (changed.isExact() != present.isExact()) {
            throw new IllegalArgumentException("limit \"" + name + "\" is "
                    + (present.isExact() ? "exact" : "not exact") + ", which cannot be changed while it is in use");
        }
        if (changed.penalty().isPresent() != present.penalty().isPresent()) {
            throw new IllegalArgumentException("limit \"" + name + "\" "
                    + (present.penalty().isPresent() ? "punishes" : "does not punish")
                    + ", which cannot be changed while it is in use");
        }
        if (sameVersion && !changed.penalty().equals(present.penalty())) {
            throw new IllegalArgumentException("limit \"" + name + "\" is at version "
                    + present.rule().version() + " already, with another penalty: raise the version");
        }
        if (changed.isShadow() != present.isShadow() || !changed.shadowOf().equals(present.shadowOf())) {
            throw new IllegalArgumentException("limit \"" + name + "\" is "
                    + (present.isShadow() ? "a shadow" : "enforced")
                    + present.shadowOf().map(other -> " of \"" + other + "\"").orElse("")
                    + ", which cannot be changed while it is in use");
        }
    }

    /**
     * Checks what a shadow stands beside.
     *
     * @param limits which there are
     * @throws IllegalArgumentException if it is to stand beside itself, another shadow, or a limit that is not there
     */
    static void requireEnforcedBeside(Limit limit, Map<String, Limit> limits) {
        String name = limit.shadowOf().orElse(null);
        if (name == null) {
            return;
        }
        Limit other = name.equals(limit.name()) ? limit : limits.get(name);
        if (other == null || other.isShadow()) {
            throw new IllegalArgumentException("limit \"" + limit.name() + "\" is a shadow of \"" + name + "\", which "
                    + (other == null ? "does not exist: there are only " + limits.keySet() : "is a shadow itself")
                    + ", and it can only stand beside a limit that is enforced");
        }
    }

    /** As {@link #requireEnforcedBeside(Limit, Map)}, beside the limits there are now. */
    void requireEnforcedBeside(Limit limit) {
        Map<String, Limit> present = new LinkedHashMap<>();
        limiters.forEach((name, limiter) -> present.put(name, limiter.limit()));
        requireEnforcedBeside(limit, present);
    }

    /** The limit that a shadow stands beside may be said of later, if at all. */
    private void requireEnforcedOrAwaited(Limit limit) {
        String other = limit.shadowOf().orElse(limit.name());
        boolean awaited = !other.equals(limit.name())
                && !limiters.containsKey(other)
                && directives
                        .find(Directive.Id.ofDefinition(other))
                        .filter(each -> !each.isWithdrawn())
                        .isPresent();
        if (!awaited) {
            requireEnforcedBeside(limit);
        }
    }

    /**
     * Checks that a limit that is to be added is not called as the strikes of another, or another as its.
     *
     * @throws IllegalArgumentException naming the two
     */
    void requireDistinct(Limit added) {
        Strikes.requireDistinct(
                added, limiters.values().stream().map(Limiter::limit).toList());
    }

    private synchronized void follow(Directive directive) {
        try {
            apply(directive);
        } catch (RuntimeException e) { // also a bug of ours: what is in force must not depend on it
            LOG.log(
                    System.Logger.Level.WARNING,
                    Audit.line(directive) + " cannot be applied on this node, where all stays as it is: "
                            + Audit.problem(e));
        }
    }

    private void apply(Directive directive) {
        String name = directive.id().limit();
        switch (directive.id().kind()) {
            case DEFINITION -> define(name, directive);
            case OVERRIDE -> {
                Limiter limiter = limiters.get(name);
                if (limiter != null) {
                    limiter.asking().overrides().apply(directive);
                }
            }
            case BLOCK -> {
                Limiter limiter = limiters.get(name);
                if (name.equals(Directive.EVERY_LIMIT)) {
                    block(everywhere, directive);
                } else if (limiter != null) {
                    block(limiter.asking().blocks(), directive);
                }
            }
        }
    }

    private void define(String name, Directive directive) {
        Limiter present = limiters.get(name);
        if (!(directive.content() instanceof Directive.Definition definition)) {
            if (present != null && !isBuilt(name)) {
                put(name, null);
            }
            return;
        }
        Limit limit = Limit.of(name, definition);
        if (present == null) {
            requireEnforcedOrAwaited(limit);
            requireDistinct(limit);
            put(name, maker.apply(this, limit));
            directives.all().stream()
                    .filter(each -> each.id().limit().equals(name) && each.id().kind() != Directive.Kind.DEFINITION)
                    .forEach(this::follow); // what was said of its keys before it was here
        } else if (limit.rule().version() >= present.limit().rule().version()) {
            Limit changed = limit.withOverridesOf(present.limit()); // which this node was built with
            requireChangeable(present.limit(), changed);
            present.change(changed);
        }
    }

    private void put(String name, @Nullable Limiter limiter) {
        Map<String, Limiter> next = new LinkedHashMap<>(limiters);
        if (limiter == null) {
            next.remove(name);
        } else {
            next.put(name, limiter);
        }
        limiters = Collections.unmodifiableMap(next);
        putShadowsBeside();
    }

    private void putShadowsBeside() {
        limiters.forEach((name, limiter) -> limiter.beside(limiters.values().stream()
                .filter(each -> each.limit().shadowOf().filter(name::equals).isPresent())
                .toList()));
    }

    private void block(Blocks blocks, Directive directive) {
        String key = directive.id().key();
        if (directive.content() instanceof Directive.Block block) {
            long leftMillis =
                    Math.min(Administration.LONGEST_BLOCK.toMillis(), block.endMillis() - directives.nowMillis());
            if (leftMillis > 0) {
                blocks.block(
                        key, clock.nanoTime() + Duration.ofMillis(leftMillis).toNanos());
            } else { // a penalty that is remembered
                blocks.unblock(key);
            }
        } else {
            blocks.unblock(key);
        }
    }
}
