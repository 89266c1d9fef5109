package io.weir.hazelcast;

import com.hazelcast.map.IMap;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The way to the owners, which opens once the cluster is there and the namespace's map is configured in it.
 *
 * <p>Before that nothing is sent: a map that is touched before it is configured keeps Hazelcast's defaults for good. While a
 * client is without a connection, or the cluster passive, Hazelcast refuses to configure a map, or holds up whoever tries for
 * minutes. So a thread of its own tries, again and again, and ends with success.
 */
final class Arrival implements OwnerCalls {

    private static final System.Logger LOG = System.getLogger(HazelcastStore.class.getName());

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final Supplier<Maps> attempt;
    private final Thread thread;
    private final CompletableFuture<Boolean> firstAttempt = new CompletableFuture<>();
    private volatile @Nullable Maps maps;
    private volatile String why = "Hazelcast does not answer";
    private volatile boolean closed;

    /**
     * What there is after arrival.
     *
     * @param owners the way to those of the namespace's buckets
     * @param rosters the map of the namespace's roster
     */
    record Maps(OwnerCalls owners, IMap<String, Roster> rosters) {}

    /** @param attempt fails, or takes long, while the cluster is not there */
    Arrival(String threadName, Supplier<Maps> attempt) {
        this.attempt = attempt;
        this.thread = new Thread(this::arrive, threadName);
        thread.setDaemon(true);
    }

    /**
     * Begins to try, and waits until the first attempt has ended, though not for longer than {@code patience}.
     *
     * @throws Error what the first attempt ended with, if that was one: there is no second
     */
    void begin(Duration patience) {
        thread.start();
        try {
            firstAttempt.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            LOG.log(System.Logger.Level.DEBUG, "The cluster has not answered within {0}.", patience);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(e.getCause()); // never: attempts that fail otherwise are repeated
        }
    }

    /** Tries no more. */
    void close() {
        closed = true;
        thread.interrupt();
    }

    /** @throws StoreUnavailableException before arrival */
    @Override
    public Route to(String key) {
        return maps().owners().to(key);
    }

    /** @throws StoreUnavailableException before arrival */
    IMap<String, Roster> rosters() {
        return maps().rosters();
    }

    private Maps maps() {
        Maps known = maps;
        if (known == null) {
            throw StoreUnavailableException.beforeSending(
                    Reason.UNREACHABLE, "the cluster is not there yet, or cannot be told of Weir's map: " + why);
        }
        return known;
    }

    private void arrive() {
        while (!closed && maps == null) {
            try {
                maps = attempt.get();
                if (!firstAttempt.complete(true)) {
                    LOG.log(System.Logger.Level.INFO, "The cluster is there now: limits are decided by their owners.");
                }
            } catch (RuntimeException e) { // whatever it is: the next attempt may succeed
                why = e.getClass().getSimpleName() + ": " + e.getMessage();
                LOG.log(System.Logger.Level.DEBUG, "The cluster is not there yet; tries again.", e);
                firstAttempt.complete(false);
                LockSupport.parkNanos(INTERVAL.toNanos());
            } catch (Error e) { // which no repetition mends
                why = e.toString();
                if (!firstAttempt.completeExceptionally(e)) {
                    LOG.log(System.Logger.Level.ERROR, "The store cannot arrive; its limits' policies answer.", e);
                }
                return;
            }
        }
    }
}
