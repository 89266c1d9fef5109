package io.weir;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.store.Directive;
import io.weir.store.Directives;
import io.weir.store.StoreUnavailableException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Changes limits while they are in use, on every node of the store at once. Thread-safe; {@link Weir#administration} makes one.
 *
 * <p>Each change becomes a {@link Directive}, which all nodes know within a second, those included that join later. It is checked before anything is
 * published, so that nothing changes anywhere if it is refused. When a method returns, the change is in force on this node and
 * kept by the store; and there is a line about it in the log {@code io.weir.audit}.
 *
 * <p>Every method that changes something waits for the store, for some seconds at most, and throws {@link
 * StoreUnavailableException} if it did not answer: the change may be in force then, and may be made again.
 */
public final class Administration {

    /** The longest block: ten years. */
    public static final Duration LONGEST_BLOCK = Duration.ofDays(3_650);

    /** In place of a limit's name in {@link #block} and {@link #unblock}: under every limit. */
    public static final String EVERY_LIMIT = Directive.EVERY_LIMIT;

    private static final int MOST_TRIES = 10;

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final LiveLimits live;
    private final Directives directives;
    private final String actor;

    /** @param actor who changes things */
    Administration(LiveLimits live, String actor) {
        Objects.requireNonNull(actor, "actor: who changes limits, for the audit");
        if (actor.length() > Directive.MAX_ACTOR) {
            throw new IllegalArgumentException(
                    "actor must have at most " + Directive.MAX_ACTOR + " characters but has " + actor.length());
        }
        this.live = live;
        this.directives = live.directives();
        this.actor = actor;
    }

    /**
     * Makes a limit on every node. Where it is there already, and equal, it stays as it is.
     *
     * @param limit without overrides: they are a part of what each node is started with
     * @throws IllegalArgumentException if there is another limit of that name, or was one of the same or a higher version; if it is a
     *     shadow of a limit that is not there, or is a shadow; or if it has overrides
     * @throws IllegalStateException if somebody else has made one meanwhile, or if there are {@value Directives#MOST_DEFINITIONS} already
     */
    public void define(Limit limit) {
        if (!limit.overrides().isEmpty()) {
            throw overridesStay(limit, "defined");
        }
        Limiter present = live.limiters().get(limit.name());
        if (present != null && !present.limit().equals(limit)) {
            throw new IllegalArgumentException("there is a limit called \"" + limit.name() + "\" already, at version "
                    + present.limit().rule().version() + ": change it");
        }
        live.requireEnforcedBeside(limit);
        if (present == null) {
            live.requireDistinct(limit);
        }
        publishUnlessInForce(limit);
    }

    /**
     * Puts other numbers of a limit in force on every node, also on those that were started with it. Balances are carried over in
     * proportion, key by key, when it is next asked for each. A node that is started later with an older version goes by these.
     *
     * <p>The numbers that a definition gives single keys stay on each node as it was started: {@link #override} sets others.
     *
     * @param limit as for {@link Weir#change}, and of a newer version unless it is equal to the present one; without overrides, or with
     *     those that the limit has on this node
     * @throws IllegalArgumentException as {@link Weir#change}, and if it has other overrides
     * @throws IllegalStateException if somebody else has published the same or a higher version meanwhile
     */
    public void change(Limit limit) {
        Limiter limiter = limiter(limit.name());
        Limit present = limiter.limit();
        Limit changed = limit.withOverridesOf(present);
        if (!limit.overrides().isEmpty() && !limit.equals(changed)) {
            throw overridesStay(limit, "changed");
        }
        LiveLimits.requireChangeable(present, changed);
        limiter.asking().overrides().requireCountable(changed);
        if (!present.equals(changed)
                && changed.rule().version() == present.rule().version()) {
            throw new IllegalArgumentException("limit \"" + changed.name() + "\" is at version "
                    + present.rule().version() + " already, with another deadline: raise the version");
        }
        publishUnlessInForce(changed);
    }

    private static IllegalArgumentException overridesStay(Limit limit, String what) {
        return new IllegalArgumentException("limit \"" + limit.name()
                + "\" has overrides, which are a part of what each node" + " is started with, and is to be " + what
                + " for all nodes: leave them out, and set each by override(..)");
    }

    /**
     * Takes back a limit that was {@linkplain #define defined} at run time: there is none of that name any more on any node, except on
     * those that were started with one, which keep the numbers they have. Who still holds its {@link Limiter} is answered as before.
     *
     * @throws IllegalArgumentException if there is no such limit, or if this application was started with it
     */
    public void remove(String limit) {
        limiter(limit);
        if (live.isBuilt(limit)) {
            throw new IllegalArgumentException(
                    "limit \"" + limit
                            + "\" is in this application's own configuration and cannot be removed at run time: change its numbers");
        }
        set(
                Directive.Id.ofDefinition(limit),
                present -> present == null || present.isWithdrawn() ? null : new Directive.Withdrawn());
    }

    /**
     * Gives one key numbers of its own under a limit, on every node: a customer's plan, say. They count instead of those that the limit's
     * {@linkplain Limit.Builder#override definition} may give it. Its balance is carried over as the limit's {@linkplain
     * Limit.Builder#carryOver carry-over} says. The same numbers again change nothing.
     *
     * @param bandwidths at least one, as for {@link Limit.Builder#bandwidth}
     * @throws IllegalArgumentException if there is no such limit, the numbers are none, or the limit's version is above 2<sup>44</sup> - 1
     * @throws IllegalStateException if there are {@value Directives#MOST} directives already, or the key's numbers were set or cleared 524,287
     *     times
     */
    public void override(String limit, String key, Bandwidth... bandwidths) {
        Limiter limiter = limiter(limit);
        Limit present = limiter.limit();
        Rule rule = new Rule(1, present.rule().algorithm().kind().with(List.of(bandwidths)));
        KeyVersion.of(limit, 1, present.rule().version()); // refuses what cannot be one
        set(
                Directive.Id.ofOverride(limit, key),
                // What was said of it long ago is forgotten, though not by a bucket that has been in use since.
                () -> Joined.of(limiter.asking().timesOverridden(key, PATIENCE.toNanos())) + 1,
                before -> before != null
                                && before.content() instanceof Directive.KeyNumbers there
                                && there.rule().equals(rule)
                        ? null
                        : new Directive.KeyNumbers(rule));
    }

    /**
     * Has a key go by its limit's definition again: by the numbers that this {@linkplain Limit.Builder#override gives} the key, or else by the
     * limit's. Its balance is carried over as the limit's {@linkplain Limit.Builder#carryOver carry-over} says. Does nothing if none of its
     * own were set at run time. What was set under a limit that has been removed since can be cleared, too.
     */
    public void clearOverride(String limit, String key) {
        set(
                Directive.Id.ofOverride(limit, key),
                present -> present == null || present.isWithdrawn() ? null : new Directive.Withdrawn());
    }

    /**
     * Denies a key on every node, from memory and without charging it, for a while. If it is blocked already, the later of the two ends counts.
     *
     * @param limit the limit's name, or {@link #EVERY_LIMIT}
     * @param duration for how long from now, more than zero and at most {@link #LONGEST_BLOCK}; counted in milliseconds
     * @param reason why, for a person to read: at most {@value Directive#MAX_REASON} characters
     * @throws IllegalArgumentException if there is no such limit, or the duration or the reason is out of range
     * @throws IllegalStateException if there are {@value Directives#MOST} directives already
     */
    public void block(String limit, String key, Duration duration, String reason) {
        if (!limit.equals(EVERY_LIMIT)) {
            limiter(limit);
        }
        if (duration.compareTo(Duration.ofMillis(1)) < 0 || duration.compareTo(LONGEST_BLOCK) > 0) {
            throw new IllegalArgumentException(
                    "a key can be blocked for 1 ms to " + LONGEST_BLOCK + " but not for " + duration);
        }
        long end = directives.nowMillis() + duration.toMillis();
        Directive.Block block = new Directive.Block(end, reason);
        set(
                Directive.Id.ofBlock(limit, key),
                present -> present != null
                                && present.content() instanceof Directive.Block there
                                && there.endMillis() >= end
                        ? null
                        : block);
    }

    /**
     * Ends a block. Does nothing if there is none.
     *
     * @param limit as it was blocked: a block under every limit is ended only there
     */
    public void unblock(String limit, String key) {
        long now = directives.nowMillis();
        set(
                Directive.Id.ofBlock(limit, key),
                present -> present == null || present.isWithdrawn() || present.hasEnded(now)
                        ? null
                        : new Directive.Withdrawn());
    }

    /**
     * Has a key begin anew that a {@linkplain Limit.Builder#penalty penalty} was for: its cool-down ends, how many it has had is forgotten,
     * and it has no strikes. A block that somebody set stays.
     *
     * <p>No strike begins a cool-down any more that a node has made before it heard of the pardon, if the key had a strike or a cool-down by
     * then. Those that were on their way to the owner of the strikes may still be counted, and the next cool-down then takes as many fewer.
     *
     * @throws IllegalArgumentException if there is no such limit, or it does not punish
     * @throws IllegalStateException if there are {@value Directives#MOST} directives already, so that the pardon cannot be remembered; the
     *     strikes are forgotten all the same
     */
    public void pardon(String limit, String key) {
        Limiter limiter = limiter(limit);
        if (limiter.limit().penalty().isEmpty()) {
            throw new IllegalArgumentException("limit \"" + limit + "\" does not punish: there is nothing to pardon");
        }
        // First: what is withdrawn afterwards is also a cool-down that one of these strikes has begun meanwhile.
        boolean any = Joined.of(limiter.forgetStrikes(key, PATIENCE.toNanos()));
        long now = directives.nowMillis();
        set(
                Directive.Id.ofBlock(limit, key),
                present -> mayCoolDown(present, any, now) ? new Directive.Withdrawn() : null);
        Audit.pardon(actor, limit, key);
    }

    /**
     * Whether a key cools down, or may be about to: a cool-down that is on its way, or that strikes on their way call for, is of no newer
     * version than what is withdrawn here.
     */
    private static boolean mayCoolDown(@Nullable Directive said, boolean hadStrikes, long nowMillis) {
        if (said == null || said.isWithdrawn()) {
            return hadStrikes;
        }
        return said.isPenalty() || (hadStrikes && said.hasEnded(nowMillis));
    }

    /**
     * The keys that cool down at present. From memory.
     *
     * @param most how many at most, zero or more
     * @return the highest level first, and then the latest end; the content of each is a {@link Directive.Block}, which says both
     * @throws IllegalArgumentException if {@code most} is negative
     */
    public List<Directive> penalties(int most) {
        return inForce(
                most,
                Directive::isPenalty,
                Comparator.comparingInt((Directive each) -> -block(each).level())
                        .thenComparingLong(each -> -block(each).endMillis()));
    }

    private static Directive.Block block(Directive penalty) {
        return (Directive.Block) penalty.content();
    }

    /**
     * Looks at a key: asks its owner once, as a {@linkplain Limiter#peek peek} does, and takes nothing.
     *
     * @throws IllegalArgumentException if there is no such limit
     */
    public KeyLook look(String limit, String key) {
        return limiter(limit)
                .look(key, directives.find(Directive.Id.ofOverride(limit, key)).orElse(null));
    }

    /**
     * Fills a key's bucket, once, on its owner. What nodes hold of it ahead of demand is out still, and the bucket stays short of its
     * capacity by that. Other nodes that remember a denial may go on denying for up to a second.
     *
     * @throws IllegalArgumentException if there is no such limit
     */
    public void reset(String limit, String key) {
        Joined.of(limiter(limit).asking().reset(key, PATIENCE.toNanos()));
        Audit.reset(actor, limit, key);
    }

    /**
     * What is in force at present, without what was withdrawn or has ended. From memory.
     *
     * @param most how many at most, zero or more
     * @return by limit, kind and key
     * @throws IllegalArgumentException if {@code most} is negative
     */
    public List<Directive> list(int most) {
        return inForce(
                most,
                each -> !each.isWithdrawn(),
                Comparator.comparing((Directive each) -> each.id().limit())
                        .thenComparing(each -> each.id().kind())
                        .thenComparing(each -> each.id().key()));
    }

    private List<Directive> inForce(int most, Predicate<Directive> which, Comparator<Directive> order) {
        if (most < 0) {
            throw new IllegalArgumentException("most must not be negative but is " + most);
        }
        long now = directives.nowMillis();
        return directives.all().stream()
                .filter(each -> which.test(each) && !each.hasEnded(now))
                .sorted(order)
                .limit(most)
                .toList();
    }

    private Limiter limiter(String name) {
        return Weir.limiter(live.limiters(), name);
    }

    /** Also if this node alone was started with it: the others are to know. */
    private void publishUnlessInForce(Limit limit) {
        boolean inForce = directives
                .find(Directive.Id.ofDefinition(limit.name()))
                .filter(each -> each.content().equals(limit.definition()))
                .isPresent();
        if (!inForce) {
            requireAbove(limit);
            publishDefinition(limit);
        }
    }

    private void requireAbove(Limit limit) {
        directives.find(Directive.Id.ofDefinition(limit.name())).ifPresent(published -> {
            if (published.version() >= limit.rule().version()) {
                throw new IllegalArgumentException("limit \"" + limit.name() + "\" was "
                        + (published.isWithdrawn() ? "removed" : "defined") + " at version " + published.version()
                        + ": give it a higher one than " + limit.rule().version());
            }
        });
    }

    private void publishDefinition(Limit limit) {
        Directive directive = new Directive(
                Directive.Id.ofDefinition(limit.name()),
                limit.rule().version(),
                limit.definition(),
                actor,
                directives.nowMillis());
        if (!isPublished(directive)) {
            throw new IllegalStateException("limit \"" + limit.name()
                    + "\" was changed by somebody else meanwhile, to version "
                    + directives.find(directive.id()).map(Directive::version).orElse(0L) + ": look at it again");
        }
    }

    private void set(Directive.Id id, Function<@Nullable Directive, Directive.@Nullable Content> change) {
        set(id, () -> 1, change);
    }

    /**
     * Says something else of a thing, whatever is said meanwhile by others.
     *
     * @param first its version if nothing is said of it yet
     * @param change of what is said, or null, to what is to be said; to null if nothing has to be
     */
    private void set(
            Directive.Id id, LongSupplier first, Function<@Nullable Directive, Directive.@Nullable Content> change) {
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            Directive present = directives.find(id).orElse(null);
            Directive.Content next = change.apply(present);
            if (next == null) {
                return;
            }
            long version = present == null ? first.getAsLong() : present.version() + 1;
            if (id.kind() == Directive.Kind.OVERRIDE && version > KeyVersion.MOST_OF_A_KEY) {
                throw new IllegalStateException("the numbers of this key were changed " + (version - 1)
                        + " times, which is as often as they can be");
            }
            if (isPublished(new Directive(id, version, next, actor, directives.nowMillis()))) {
                return;
            }
        }
        throw new IllegalStateException(
                "others change the same thing all the time: it was tried " + MOST_TRIES + " times");
    }

    private boolean isPublished(Directive directive) {
        return switch (outcome(directive)) {
            case ACCEPTED -> {
                Audit.published(directive);
                yield true;
            }
            case CONFLICT -> false;
            case FULL ->
                throw new IllegalStateException("there are " + Directives.MOST + " directives, or "
                        + Directives.MOST_DEFINITIONS + " of limits, already: withdraw some");
        };
    }

    private Directives.Outcome outcome(Directive directive) {
        return Joined.of(directives.publish(directive));
    }
}
