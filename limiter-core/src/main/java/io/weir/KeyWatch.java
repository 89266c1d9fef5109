package io.weir;

import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches which keys ask for most, and which sit at their cap. Immutable, thread-safe.
 *
 * <pre>{@code
 * Weir weir = Weir.over(store).limit(perClient)
 *         .watchKeys(KeyWatch.create().atCap(Duration.ofMinutes(5), key -> tellSales(key)))
 *         .build();
 * List<BusyKey> busiest = weir.limiter("per-client").busiestKeys(10);
 * }</pre>
 *
 * <p>Needs {@code org.apache.datasketches:datasketches-java} on the class path, which the application must bring along.
 *
 * <p>What it tells are estimates of what this node was asked over the last 30 to 60 seconds. They take at most about 700 KB
 * for each limit, whatever the number of keys, and 4 MB if every key is as long as one may be kept.
 * <ul>
 *   <li>Up to 768 keys, all are counted apart. Of more, each that asked for more than a 146th of everything is told, and the
 *       others may be missing. No estimate is off by more than a 292nd of everything.
 *   <li>Up to about 2,000 decisions a second of one limit, every one is looked at. Of more, one in 2, 4, 8.. is, at random,
 *       and counts for as many. Grants and denials are rated apart, so that a few denials among many grants are all seen.
 *   <li>A decision is passed over if another one of the same limit is being looked at just then.
 * </ul>
 *
 * <p>A key sits at its cap if its bucket denies it again and again, with no more than {@link #GAP} between. Shares and policies,
 * which answer in an outage, say nothing of that, nor does a request for more than the capacity. A key that is denied less
 * often than a thousand others may be missed, and up to 256 keys of a limit sit at their cap at once.
 *
 * <p>It costs a decision some 5 ns where a limit is asked a million times a second or more often, and a tenth of a microsecond
 * where it is asked so seldom that every decision is looked at. Of those that are looked at one in some hundreds makes room in a full
 * table, in some ten microseconds.
 */
public final class KeyWatch {

    /** A key that was not denied for longer than this does not sit at its cap, or does not any more. */
    public static final Duration GAP = Duration.ofSeconds(5);

    private static final int MOST_WAITING = 1_000;

    private static final KeyWatch QUIET = new KeyWatch(0, null);

    private final long lastingNanos;
    private final @Nullable Consumer<KeyAtCap> listener;

    private KeyWatch(long lastingNanos, @Nullable Consumer<KeyAtCap> listener) {
        this.lastingNanos = lastingNanos;
        this.listener = listener;
    }

    /** Watches, and tells nobody. */
    public static KeyWatch create() {
        return QUIET;
    }

    /**
     * The same, and has a listener told of a key when it has been at its cap for a while, and once more when that is over,
     * within a quarter of a second or so.
     *
     * <p>It is told on a thread that has nothing else to do: one that blocks or throws holds up nobody but itself. Of what
     * happens while it is busy it is told the last of each key, and only of the 1,000 keys that it happened to last.
     *
     * @param lasting for how long a key is denied before it is told, zero or more, at most 292 years
     * @param told replaces the one that was there before
     * @throws IllegalArgumentException if {@code lasting} is negative
     * @throws ArithmeticException if it is more than 292 years
     */
    public KeyWatch atCap(Duration lasting, Consumer<KeyAtCap> told) {
        if (lasting.isNegative()) {
            throw new IllegalArgumentException("lasting must not be negative but is " + lasting);
        }
        return new KeyWatch(lasting.toNanos(), Objects.requireNonNull(told, "listener"));
    }

    /** Who tells the listener; null if there is none. */
    @Nullable
    Telling<KeyAtCap> telling() {
        return listener == null ? null : Telling.to("weir-key-listener", "keys at their cap", listener, MOST_WAITING);
    }

    /**
     * Begins to watch one limit.
     *
     * @param telling as {@link #telling()} made it
     * @throws IllegalStateException if the library is missing
     */
    WatchedKeys watch(String limit, NanoClock clock, @Nullable Telling<KeyAtCap> telling) {
        try {
            KeysAtCap atCap = telling == null ? null : new KeysAtCap(limit, lastingNanos);
            return new WatchedKeys(clock, atCap, telling);
        } catch (NoClassDefFoundError e) {
            throw new IllegalStateException(
                    "keys cannot be watched without org.apache.datasketches:datasketches-java on the class path: add it, or"
                            + " leave out watchKeys(..)",
                    e);
        }
    }
}
