package io.weir.console;

import io.weir.Administration;
import io.weir.Weir;
import io.weir.console.Snapshot.MemberLine;
import io.weir.console.Snapshot.MergedLimit;
import io.weir.console.Snapshot.PenaltyLine;
import io.weir.store.Board;
import io.weir.store.Directive;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a node does for consoles, once a second: nothing but to look whether anybody watches, unless somebody does; then it posts a note;
 * and if it is watched here, it reads the others' and puts all of them together. Not thread-safe but for {@link #viewed}; time is an
 * argument.
 */
final class Watching {

    /** Somebody who has not asked for so long does not look any more. */
    static final Duration VIEW = Duration.ofSeconds(Board.WATCH_SECONDS);

    /** A note that a node could not be asked for does not end its watch for so long. */
    private static final Duration UNSURE = Duration.ofSeconds(60);

    private static final Duration SHORTEST = Duration.ofMillis(500);

    /** In ticks. */
    private static final int BETWEEN_MARKS = 3;

    private static final int MOST_ARRIVED = 2_000;
    private static final int MOST_PENALTIES = 50;
    private static final int MOST_QUOTAS = 200;

    private static final System.Logger LOG = System.getLogger(Console.class.getName());

    private final Administration administration;
    private final Board board;
    private final String node;
    private final KeyMask mask;
    private final boolean masked;
    private final Supplier<List<QuotaLine>> quotas;
    private final NoteMaker maker;
    private final Members members = new Members();

    /** By node, until they are put together: written by the board's threads. */
    private final Map<String, byte[]> arrived = new ConcurrentHashMap<>();

    private volatile @Nullable Long viewedNanos;
    private volatile boolean watchedElsewhere;
    private volatile boolean answered;

    private long answeredNanos;
    private long madeNanos;
    private long tick;
    private @Nullable NodeNote own;
    private boolean quotasFail;

    /** @param masked whether {@code mask} hides anything */
    Watching(
            Weir weir,
            ConsoleMeters meters,
            String node,
            KeyMask mask,
            boolean masked,
            Supplier<List<QuotaLine>> quotas) {
        this.administration = weir.administration("console");
        this.board = weir.board();
        this.node = node;
        this.mask = mask;
        this.masked = masked;
        this.quotas = quotas;
        this.maker = new NoteMaker(weir, meters, node, mask, masked);
    }

    /** Somebody looks at this node's console. On any thread. */
    void viewed(long nowNanos) {
        viewedNanos = nowNanos;
    }

    boolean isViewed(long nowNanos) {
        Long last = viewedNanos;
        return last != null && nowNanos - last < VIEW.toNanos();
    }

    /** One round. What others have to say arrives after it, mostly within milliseconds. */
    void look(long nowNanos) {
        tick++;
        members.look(board.members(), nowNanos);
        boolean viewed = isViewed(nowNanos);
        if (!viewed) {
            members.forgetNotes();
            arrived.clear();
        }
        if (!viewed && !isWatchedElsewhere(nowNanos)) {
            if (own != null) {
                maker.forget();
                own = null;
            }
            return;
        }
        boolean first = own == null;
        if (!first && nowNanos - madeNanos < SHORTEST.toNanos()) {
            return; // somebody came between two rounds: so short a time tells no rate
        }
        madeNanos = nowNanos;
        NodeNote made = maker.note(tick, nowNanos);
        own = made;
        board.post(NoteWriter.bytes(made));
        if (viewed) {
            members.listen(nowNanos);
            if (first || tick % BETWEEN_MARKS == 0) {
                board.watch();
            }
            board.read(this::arrived);
        }
    }

    private boolean isWatchedElsewhere(long nowNanos) {
        if (answered) {
            answered = false;
            answeredNanos = nowNanos;
        } else if (nowNanos - answeredNanos > UNSURE.toNanos()) {
            watchedElsewhere = false;
        }
        boolean before = watchedElsewhere;
        var unused = board.isWatched().whenComplete((watched, failure) -> {
            if (failure == null) {
                watchedElsewhere = watched;
                answered = true;
            }
        });
        return watchedElsewhere || before;
    }

    private void arrived(Board.Note note) {
        if (arrived.size() < MOST_ARRIVED) {
            arrived.put(note.from(), note.content());
        }
    }

    /** All that is known now; null if nobody watches. */
    @Nullable
    Snapshot together(long nowNanos, Instant wall) {
        NodeNote mine = own;
        if (mine == null) {
            return null;
        }
        for (String from : List.copyOf(arrived.keySet())) {
            byte[] bytes = arrived.remove(from);
            if (bytes != null) {
                hear(from, bytes, nowNanos);
            }
        }
        List<NodeNote> notes = members.notes(mine, nowNanos);
        List<MemberLine> lines = members.lines(notes, nowNanos);
        List<MergedLimit> limits = LimitMerge.of(notes);
        return new Snapshot(
                node,
                wall,
                tick,
                limits.stream().noneMatch(MergedLimit::degraded),
                notes.size(),
                notes.stream().mapToLong(NodeNote::behindMillis).max().orElse(0) / 1_000,
                lines,
                Math.max(
                        limits.size(),
                        notes.stream().mapToInt(NodeNote::limitsInAll).max().orElse(0)),
                notes.stream().mapToInt(NodeNote::dropped).max().orElse(0),
                notes.stream().anyMatch(NodeNote::keysDropped),
                limits,
                penalties(),
                quotas());
    }

    private void hear(String from, byte[] bytes, long nowNanos) {
        try {
            NodeNote note = NoteReader.read(bytes);
            members.heard(from, masked && !note.masked() ? note.maskedBy(mask) : note, nowNanos);
        } catch (IllegalArgumentException e) {
            members.notUnderstood(from, "its note cannot be read: " + e.getMessage(), nowNanos);
        }
    }

    private List<PenaltyLine> penalties() {
        return administration.penalties(MOST_PENALTIES).stream()
                .map(each -> penalty(each.id(), (Directive.Block) each.content()))
                .toList();
    }

    private PenaltyLine penalty(Directive.Id id, Directive.Block block) {
        return new PenaltyLine(
                id.limit(),
                Shown.text(mask.shown(id.key())),
                Instant.ofEpochMilli(block.endMillis()),
                block.level(),
                block.reason());
    }

    /** The application's: whatever it throws, the rest is shown. */
    private List<QuotaLine> quotas() {
        try {
            List<QuotaLine> all = quotas.get();
            quotasFail = false;
            return List.copyOf(all.subList(0, Math.min(MOST_QUOTAS, all.size())));
        } catch (RuntimeException e) {
            if (!quotasFail) {
                quotasFail = true;
                LOG.log(System.Logger.Level.WARNING, "The quotas to show cannot be had; none are shown.", e);
            }
            return List.of();
        }
    }
}
