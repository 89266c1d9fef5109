package io.weir.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The table behind {@link Directives}: what becomes of it by what is published. Immutable and pure, for stores that keep it
 * wherever they keep things.
 *
 * <p>Each change has a number, so that a node that knows the table as of one number is told only what has changed since.
 *
 * <pre>
 *   line        which table this is: one that begins anew, since the former was lost, is another; so is a merged one
 *   revision    the number of the last change
 *   forgotten   the number up to which withdrawals may have been forgotten: who knows the table as of an older one is
 *               told all of it, and drops what is not in it
 * </pre>
 *
 * <p>Blocks that have ended go with the next change, unless they are penalties that have yet to be forgiven. Those go only to make room,
 * the one first that ended first; and then withdrawals, of which those stay that are not older than {@link Directives#REMEMBERED}.
 */
public final class DirectiveTable {

    private static final long REMEMBERED_MILLIS = Directives.REMEMBERED.toMillis();

    /** Clocks of nodes differ by less: what has ended here has ended there. */
    private static final long ENDED_FOR_SURE_MILLIS = 60_000;

    /**
     * A directive and the number of the change that it came with.
     *
     * @param revision that number
     */
    public record Entry(Directive directive, long revision) {}

    /**
     * What became of a directive that was offered.
     *
     * @param table with it, or the same as before
     */
    public record Offered(Directives.Outcome outcome, DirectiveTable table) {}

    /**
     * What a node has to be told.
     *
     * @param complete whether this is all there is, rather than what has changed
     */
    public record News(boolean complete, List<Directive> directives) {}

    private final UUID line;
    private final long revision;
    private final long forgotten;
    private final Map<Directive.Id, Entry> entries;

    private DirectiveTable(UUID line, long revision, long forgotten, Map<Directive.Id, Entry> entries) {
        this.line = line;
        this.revision = revision;
        this.forgotten = forgotten;
        this.entries = entries;
    }

    /** An empty table. */
    public static DirectiveTable empty(UUID line) {
        return new DirectiveTable(line, 0, 0, Map.of());
    }

    /** A table read back from wherever it was kept. */
    public static DirectiveTable restore(UUID line, long revision, long forgotten, List<Entry> entries) {
        Map<Directive.Id, Entry> byId = new HashMap<>();
        entries.forEach(each -> byId.put(each.directive().id(), each));
        return new DirectiveTable(line, revision, forgotten, byId);
    }

    /** Which table this is. */
    public UUID line() {
        return line;
    }

    /** The number of the last change. */
    public long revision() {
        return revision;
    }

    /** The number up to which withdrawals may have been forgotten. */
    public long forgotten() {
        return forgotten;
    }

    /** What is in it. */
    public Collection<Entry> entries() {
        return Collections.unmodifiableCollection(entries.values());
    }

    /** The directive with an id; null if there is none. */
    public @Nullable Directive find(Directive.Id id) {
        Entry entry = entries.get(id);
        return entry == null ? null : entry.directive();
    }

    /**
     * After {@code directive} was offered.
     *
     * @param nowMillis on the clock of whoever keeps the table
     */
    public Offered offer(Directive directive, long nowMillis) {
        Directive present = find(directive.id());
        if (present != null && directive.version() <= present.version()) {
            boolean same = directive.equals(present);
            return new Offered(same ? Directives.Outcome.ACCEPTED : Directives.Outcome.CONFLICT, this);
        }
        Map<Directive.Id, Entry> next = new HashMap<>(entries);
        next.values().removeIf(each -> each.directive().isOver(nowMillis - ENDED_FOR_SURE_MILLIS));
        long forgets = forgotten;
        boolean another = directive.isPenalty() && (present == null || !present.isPenalty());
        boolean tooManyPenalties = another && penalties(next.values()) >= Directives.MOST_PENALTIES;
        if (tooManyPenalties || (present == null && next.size() >= Directives.MOST)) {
            Entry ended = endedFirst(next.values(), nowMillis - ENDED_FOR_SURE_MILLIS);
            Entry withdrawn = ended != null || tooManyPenalties
                    ? null
                    : oldestWithdrawal(next.values(), nowMillis - REMEMBERED_MILLIS);
            if (ended != null) { // nobody has to be told: it says nothing any more but what the next one is
                next.remove(ended.directive().id());
            } else if (withdrawn != null) {
                next.remove(withdrawn.directive().id());
                forgets = Math.max(forgets, withdrawn.revision());
            } else {
                return new Offered(Directives.Outcome.FULL, this);
            }
        }
        next.put(directive.id(), new Entry(directive, revision + 1));
        if (isDefinition(directive)
                && next.values().stream().filter(DirectiveTable::isDefinition).count() > Directives.MOST_DEFINITIONS) {
            return new Offered(Directives.Outcome.FULL, this);
        }
        return new Offered(Directives.Outcome.ACCEPTED, new DirectiveTable(line, revision + 1, forgets, next));
    }

    /**
     * With all of another table's directives that have a higher version there, or are not here. What finds no room is left out.
     *
     * <p>It is another table than both, whose numbers say nothing of each other's changes: so every node is told all of it, and puts back what
     * it alone has heard of.
     *
     * @param mergedLine which table it is, unlike any before
     */
    public DirectiveTable merged(DirectiveTable other, UUID mergedLine, long nowMillis) {
        DirectiveTable merged = this;
        for (Entry each : other.entries()) {
            if (!each.directive().isOver(nowMillis)) {
                merged = merged.offer(each.directive(), nowMillis).table();
            }
        }
        return new DirectiveTable(mergedLine, merged.revision, merged.forgotten, merged.entries);
    }

    /**
     * What a node has to be told that knows a table as of a number.
     *
     * @param knownLine which table; null if none
     * @param knownRevision as of which change
     */
    public News since(@Nullable UUID knownLine, long knownRevision) {
        boolean complete = !line.equals(knownLine) || knownRevision < forgotten || knownRevision > revision;
        if (!complete && knownRevision == revision) {
            return new News(false, List.of());
        }
        List<Directive> told = new ArrayList<>();
        for (Entry each : entries.values()) {
            if (complete || each.revision() > knownRevision) {
                told.add(each.directive());
            }
        }
        return new News(complete, told);
    }

    private static boolean isDefinition(Entry entry) {
        return isDefinition(entry.directive());
    }

    private static boolean isDefinition(Directive directive) {
        return directive.content() instanceof Directive.Definition;
    }

    private static long penalties(Collection<Entry> entries) {
        return entries.stream().filter(each -> each.directive().isPenalty()).count();
    }

    /** Of penalties. */
    private static @Nullable Entry endedFirst(Collection<Entry> entries, long untilMillis) {
        Entry first = null;
        long firstEnd = untilMillis;
        for (Entry each : entries) {
            if (each.directive().content() instanceof Directive.Block block
                    && block.level() > 0
                    && (first == null ? block.endMillis() <= firstEnd : block.endMillis() < firstEnd)) {
                first = each;
                firstEnd = block.endMillis();
            }
        }
        return first;
    }

    private static @Nullable Entry oldestWithdrawal(Collection<Entry> entries, long untilMillis) {
        Entry oldest = null;
        for (Entry each : entries) {
            boolean may = each.directive().isWithdrawn() && each.directive().setMillis() <= untilMillis;
            if (may
                    && (oldest == null
                            || each.directive().setMillis() < oldest.directive().setMillis())) {
                oldest = each;
            }
        }
        return oldest;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DirectiveTable that
                && line.equals(that.line)
                && revision == that.revision
                && forgotten == that.forgotten
                && entries.equals(that.entries);
    }

    @Override
    public int hashCode() {
        return Objects.hash(line, revision, forgotten, entries);
    }

    @Override
    public String toString() {
        return "DirectiveTable[" + line + ", revision " + revision + ", " + entries.size() + " directives]";
    }
}
