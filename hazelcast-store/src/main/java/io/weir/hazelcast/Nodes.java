package io.weir.hazelcast;

import com.hazelcast.map.IMap;
import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Among how many nodes a limit is divided while its owners cannot be reached: all that limit, members and clients, as this
 * node last heard of them.
 *
 * <p>It grows with the next answer. It shrinks with the next answer by a node that said goodbye, and by one that nothing was
 * heard of only after {@link Roster#HOLD}: a side of a split may find another roster, or none, and goes on by what it knew.
 */
final class Nodes {

    /** Between two reports, each of which costs an operation on one entry. */
    static final Duration INTERVAL = Duration.ofSeconds(10);

    /** The same while nodes come and go: whoever is new is to be counted before something happens to the cluster. */
    static final Duration SHORT_INTERVAL = Duration.ofSeconds(1);

    /** How long nodes are taken to come and go after the last one did. */
    static final Duration HURRY = Duration.ofSeconds(30);

    private static final System.Logger LOG = System.getLogger(HazelcastStore.class.getName());

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final String KEY = "nodes";

    private final UUID self;
    private final Function<RosterCall, CompletionStage<Roster>> owner;
    private final NanoClock clock;

    // Guarded by this.
    private final Map<UUID, Long> heardNanos = new HashMap<>();
    private @Nullable Roster last;
    private boolean reported;
    private long reportedNanos;
    private long hurryUntilNanos;

    /** @param owner of the namespace's roster */
    Nodes(UUID self, Function<RosterCall, CompletionStage<Roster>> owner, NanoClock clock) {
        this.self = self;
        this.owner = owner;
        this.clock = clock;
        hurry();
    }

    /** @param rosters where the namespace's roster lives; may throw as long as that is not known */
    static Nodes in(Supplier<IMap<String, Roster>> rosters, UUID self, NanoClock clock) {
        return new Nodes(self, call -> rosters.get().submitToKey(KEY, call), clock);
    }

    /** How many there are, this one included; empty until the first answer. */
    synchronized OptionalInt stable() {
        if (last == null) {
            return OptionalInt.empty();
        }
        return OptionalInt.of(Math.max(1, heardNanos.size()));
    }

    /** The identities of those, as far as they are known. */
    synchronized Set<UUID> known() {
        return Set.copyOf(heardNanos.keySet());
    }

    /** Reports if it is time to; waits for nothing. */
    void tend() {
        if (isDue()) {
            var unused = report(false); // the next one is due soon, whatever becomes of this
        }
    }

    /** Reports now, and waits for the answer, though not for long. */
    void begin() {
        if (isDue()) {
            await(report(false));
        }
    }

    /** Says goodbye, and waits until that was heard, though not for long. */
    void end() {
        await(report(true));
    }

    /** A member came or left, and perhaps a node with it. */
    synchronized void hurry() {
        hurryUntilNanos = clock.nanoTime() + HURRY.toNanos();
    }

    private synchronized boolean isDue() {
        long now = clock.nanoTime();
        Duration interval = now - hurryUntilNanos < 0 ? SHORT_INTERVAL : INTERVAL;
        if (reported && now - reportedNanos < interval.toNanos()) {
            return false;
        }
        reported = true;
        reportedNanos = now;
        return true;
    }

    private CompletableFuture<?> report(boolean leaving) {
        try {
            return owner.apply(new RosterCall(self, leaving))
                    .whenComplete(this::ended)
                    .toCompletableFuture();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void ended(@Nullable Roster roster, @Nullable Throwable failure) {
        if (failure == null) {
            heard(roster);
        } else if (Failures.isUnreadable(failure)) {
            calm();
        }
    }

    /** A member lacks Weir's classes, and logs a stack trace for each report: until it has been replaced, few are enough. */
    private synchronized void calm() {
        hurryUntilNanos = clock.nanoTime();
    }

    /** The roster, as its owner has it now. */
    synchronized void heard(@Nullable Roster roster) {
        if (roster == null) {
            return; // no answer at all
        }
        long now = clock.nanoTime();
        int before = heardNanos.size();
        if (last != null && last.line().equals(roster.line())) {
            for (UUID each : last.nodes()) {
                if (!roster.has(each)) {
                    heardNanos.remove(each); // said goodbye, or was lost for long
                }
            }
        }
        last = roster;
        roster.nodes().forEach(each -> heardNanos.put(each, now));
        // Only now: while nobody answers, those that were there before the fault are what counts.
        heardNanos.values().removeIf(each -> now - each >= Roster.HOLD.toNanos());
        if (heardNanos.size() != before) {
            hurry();
        }
    }

    private static void await(CompletableFuture<?> answer) {
        try {
            answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "The roster of nodes did not answer; shares are counted by what was last known.",
                    e);
        }
    }
}
