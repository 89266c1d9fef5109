package io.weir.hazelcast;

import io.weir.store.Directive;
import io.weir.store.Directives;
import io.weir.store.Directives.Listener;
import io.weir.store.Directives.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * This node's copy of the table of directives, and those who are told of its changes.
 *
 * <p>{@link #find}, {@link #all} and {@link #listen} are for any thread; all else is for the one that asks the owner.
 */
final class KnownDirectives {

    private static final System.Logger LOG = System.getLogger(HazelcastStore.class.getName());

    /** What one call carries of what the table has lost. */
    private static final int MOST_AT_ONCE = 500;

    /** No revision: whoever knows the table as of it is told all of it. */
    private static final long ALL = -1;

    /** A table keeps blocks that are over for as long: clocks differ by less. */
    private static final long ENDED_FOR_SURE_MILLIS = Duration.ofMinutes(1).toMillis();

    private final LongSupplier nowMillis;
    private final ConcurrentHashMap<Directive.Id, Directive> known = new ConcurrentHashMap<>();

    /** Guarded by this, as is the telling: each listener hears of all changes, in one order. */
    private final List<Listener> listeners = new ArrayList<>();

    // Touched by the thread that asks only:
    private @Nullable UUID line;
    private long revision;

    /** What the table has lost: this node's to put back. */
    private List<Directive> owed = new ArrayList<>();

    /** @param nowMillis the owner's time, as well as this node knows it */
    KnownDirectives(LongSupplier nowMillis) {
        this.nowMillis = nowMillis;
    }

    Optional<Directive> find(Directive.Id id) {
        return Optional.ofNullable(known.get(id));
    }

    Collection<Directive> all() {
        return List.copyOf(known.values());
    }

    /** As {@link Directives#listen}. */
    synchronized void listen(Listener listener) {
        for (Directive each : known.values()) {
            if (!listener.changed(each)) {
                return;
            }
        }
        listeners.add(listener);
    }

    /**
     * The next question to the owner.
     *
     * @param offered what this node would like to have in the table
     */
    DirectiveCall question(List<Directive> offered) {
        // More than a table can hold is known here: what it has forgotten was not told.
        boolean tooMuch = known.size() > Directives.MOST + Directives.MOST / 10;
        return new DirectiveCall(line, tooMuch ? ALL : revision, offered);
    }

    /** What is to be put back, as much as one call carries. */
    List<Directive> owed() {
        return List.copyOf(owed.subList(0, Math.min(MOST_AT_ONCE, owed.size())));
    }

    boolean owesAny() {
        return !owed.isEmpty();
    }

    /**
     * The owner has answered. A table of another identity, or of an older change than is known here, has lost something.
     *
     * @param lately whether this node has heard of the table so lately that nothing it knows can have been withdrawn and forgotten since
     */
    void heard(DirectiveAnswer answer, boolean lately) {
        boolean isOurs = answer.line().equals(line);
        if (answer.isComplete()) {
            replace(answer, lately && (!isOurs || answer.revision() < revision));
        } else if (isOurs) {
            answer.directives().forEach(this::apply);
            revision = Math.max(revision, answer.revision());
        } // else: of a table that has been replaced by another since it was asked
    }

    /** Forgets blocks that are over. */
    void tidy() {
        long surely = nowMillis.getAsLong() - ENDED_FOR_SURE_MILLIS;
        known.values().removeIf(each -> each.isOver(surely));
    }

    /**
     * Takes over a whole table. What it lacks was forgotten on purpose, or lost.
     *
     * @param puts whether this node puts back what it knows besides
     */
    private void replace(DirectiveAnswer answer, boolean puts) {
        Map<Directive.Id, Directive> told = new HashMap<>();
        answer.directives().forEach(each -> told.put(each.id(), each));
        List<Directive> lost = new ArrayList<>();
        for (Directive mine : known.values()) {
            Directive theirs = told.get(mine.id());
            if (theirs == null || theirs.version() < mine.version()) {
                lost.add(mine);
            }
        }
        line = answer.line();
        revision = answer.revision();
        if (puts) {
            long now = nowMillis.getAsLong();
            lost.removeIf(each -> each.isOver(now));
            owed = lost;
        } else {
            lost.forEach(this::forget);
        }
        told.values().forEach(this::apply);
    }

    /** What was offered is not owed any more; what found no room in the table is not in force here either. */
    void settle(List<Directive> offered, List<Outcome> outcomes) {
        if (offered.isEmpty()) {
            return;
        }
        Set<Directive> done = new HashSet<>(offered);
        owed.removeIf(done::contains);
        for (int i = 0; i < offered.size(); i++) {
            if (outcomes.get(i) == Outcome.FULL) {
                forget(offered.get(i));
            }
        }
    }

    /**
     * The owner's word counts, also where both have the same version, since two sides of a split may have set it; and over a block that
     * has ended, which the owner may have dropped before, so that versions began anew.
     */
    private synchronized void apply(Directive told) {
        Directive mine = known.get(told.id());
        boolean older = mine == null || mine.version() <= told.version() || mine.hasEnded(nowMillis.getAsLong());
        if (older && !told.equals(mine)) {
            known.put(told.id(), told);
            tell(told);
        }
    }

    private synchronized void forget(Directive mine) {
        if (!known.remove(mine.id(), mine)) {
            return;
        }
        if (!mine.isWithdrawn()) {
            tell(new Directive(mine.id(), mine.version(), new Directive.Withdrawn(), mine.actor(), mine.setMillis()));
        }
        listeners.forEach(each -> each.forgotten(mine.id()));
    }

    private void tell(Directive directive) {
        listeners.removeIf(each -> !told(each, directive));
    }

    private static boolean told(Listener listener, Directive directive) {
        try {
            return listener.changed(directive);
        } catch (RuntimeException e) { // a bug of the listener's; the others, and the next directive, come all the same
            LOG.log(System.Logger.Level.ERROR, "A listener for directives threw.", e);
            return true;
        }
    }
}
