package io.weir.console;

import io.weir.console.NodeNote.OwnerLine;
import io.weir.console.Snapshot.MemberLine;
import io.weir.console.Snapshot.State;
import io.weir.store.Board;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Who is there and who was, and what each has said last. Not thread-safe; time is an argument. */
final class Members {

    /** A note is one second old, and may be late by another. */
    static final Duration SILENT = Duration.ofSeconds(3);

    /** A client that is silent for so long is taken to have left: nobody else could say. */
    static final Duration CLIENT_GONE = Duration.ofSeconds(10);

    /** So long it is told that somebody has left. */
    static final Duration TOLD = Duration.ofSeconds(60);

    private static final int MOST = 2_000;

    private static final String NO_NOTE = "it says nothing: it has no console, or cannot be reached by this node";

    private static final Comparator<Seen> ORDER =
            Comparator.comparing((Seen each) -> !each.member).thenComparing(each -> each.name);

    private final Map<String, Seen> seen = new HashMap<>();
    private long lookedNanos;
    private long listeningSinceNanos;
    private boolean listening;

    /** A member, or somebody else who has posted a note. */
    private static final class Seen {
        private final boolean member;
        private final boolean here;
        private final long firstNanos;
        private String name;
        private long presentNanos;
        private long heardNanos;
        private @Nullable NodeNote note;
        private @Nullable String problem;

        Seen(String name, boolean member, boolean here, long nowNanos) {
            this.name = name;
            this.member = member;
            this.here = here;
            this.firstNanos = nowNanos;
            this.presentNanos = nowNanos;
        }
    }

    /** The members there are now. To be told also while nobody listens to notes. */
    void look(List<Board.Peer> peers, long nowNanos) {
        lookedNanos = nowNanos;
        for (Board.Peer each : peers) {
            Seen known = seen.get(each.id());
            if (known != null && known.member) {
                known.presentNanos = nowNanos;
            } else if (seen.size() < MOST) { // also in place of one whose note came first
                seen.put(each.id(), new Seen(each.name(), true, each.here(), nowNanos));
            }
        }
        seen.values().removeIf(each -> nowNanos - each.presentNanos > TOLD.toNanos());
    }

    /** From now on notes are expected. */
    void listen(long nowNanos) {
        if (!listening) {
            listening = true;
            listeningSinceNanos = nowNanos;
        }
    }

    /** None are any more. */
    void forgetNotes() {
        listening = false;
        seen.values().removeIf(each -> !each.member);
        seen.values().forEach(each -> {
            each.note = null;
            each.problem = null;
        });
    }

    /** Somebody's note has arrived; the same one again says nothing new. */
    void heard(String from, NodeNote note, long nowNanos) {
        Seen who = who(from, note.node(), nowNanos);
        if (who != null && (who.note == null || who.note.tick() != note.tick())) {
            who.note = note;
            who.problem = null;
            who.heardNanos = nowNanos;
            if (!who.member) {
                who.presentNanos = nowNanos;
                who.name = note.node();
            }
        }
    }

    /** Something has arrived that is no note, or none that can be read. */
    void notUnderstood(String from, String problem, long nowNanos) {
        Seen who = who(from, from, nowNanos);
        if (who != null) {
            who.problem = problem;
        }
    }

    private @Nullable Seen who(String from, String name, long nowNanos) {
        Seen known = seen.get(from);
        if (known == null && seen.size() < MOST) {
            known = new Seen(name, false, false, nowNanos);
            seen.put(from, known);
        }
        return known;
    }

    /** The notes that count, {@code own} first. */
    List<NodeNote> notes(NodeNote own, long nowNanos) {
        List<NodeNote> notes = new ArrayList<>();
        notes.add(own);
        for (Seen each : seen.values()) {
            if (each.note != null && !each.here && isPresent(each, nowNanos) && !isSilent(each, nowNanos)) {
                notes.add(each.note);
            }
        }
        return notes;
    }

    /**
     * How all of them stand.
     *
     * @param notes those that count, {@code own} first
     */
    List<MemberLine> lines(List<NodeNote> notes, long nowNanos) {
        NodeNote own = notes.get(0);
        Map<String, List<OwnerLine>> reports = notes.stream()
                .flatMap(each -> each.owners().stream())
                .collect(Collectors.groupingBy(OwnerLine::member));
        Set<String> present = seen.values().stream()
                .filter(each -> isPresent(each, nowNanos))
                .map(each -> each.name)
                .collect(Collectors.toSet());
        List<MemberLine> lines = new ArrayList<>();
        if (seen.values().stream().noneMatch(each -> each.here)) { // a client
            lines.add(line(own.node(), true, State.REACHABLE, OptionalLong.empty(), null, own));
        }
        seen.values().stream()
                // Who was started again is there under the same name.
                .filter(each -> isPresent(each, nowNanos) || !present.contains(each.name))
                .sorted(ORDER)
                .forEach(each -> lines.add(line(each, own, reports.getOrDefault(each.name, List.of()), nowNanos)));
        return lines;
    }

    private MemberLine line(Seen who, NodeNote own, List<OwnerLine> reports, long nowNanos) {
        String name = who.name.isEmpty() ? own.node() : who.name;
        if (!isPresent(who, nowNanos)) {
            OptionalLong gone = OptionalLong.of(seconds(nowNanos - who.presentNanos));
            return line(name, who.here, State.LEFT, gone, null, null);
        }
        NodeNote note = who.here ? own : who.note;
        List<OwnerLine> missed =
                reports.stream().filter(each -> !each.reachable()).toList();
        if (!missed.isEmpty()) {
            String why = missed.get(0).why();
            return line(name, who.here, State.UNREACHABLE, longest(missed), why, note);
        }
        if (!who.here && isSilent(who, nowNanos)) {
            OptionalLong silent = OptionalLong.of(seconds(nowNanos - expectedSince(who)));
            String why = who.problem == null ? NO_NOTE : who.problem;
            return line(name, false, State.SILENT, silent, why, null);
        }
        return line(name, who.here, State.REACHABLE, longest(reports), null, note);
    }

    private static MemberLine line(
            String name,
            boolean here,
            State state,
            OptionalLong seconds,
            @Nullable String why,
            @Nullable NodeNote note) {
        OptionalDouble fallback = note == null
                ? OptionalDouble.empty()
                : OptionalDouble.of(note.limits().stream()
                                .mapToLong(NodeNote.LimitLine::fallbackMillis)
                                .max()
                                .orElse(0)
                        / 1e3);
        return new MemberLine(name, here, state, seconds, why, fallback);
    }

    private static OptionalLong longest(List<OwnerLine> reports) {
        return reports.stream().mapToLong(OwnerLine::seconds).max();
    }

    private boolean isPresent(Seen who, long nowNanos) {
        return who.member ? who.presentNanos == lookedNanos : nowNanos - who.presentNanos < CLIENT_GONE.toNanos();
    }

    private boolean isSilent(Seen who, long nowNanos) {
        return nowNanos - expectedSince(who) > SILENT.toNanos();
    }

    private long expectedSince(Seen who) {
        long expected = Math.max(listeningSinceNanos, who.firstNanos);
        return who.note == null ? expected : Math.max(expected, who.heardNanos);
    }

    private static long seconds(long nanos) {
        return Duration.ofNanos(nanos).toSeconds();
    }
}
