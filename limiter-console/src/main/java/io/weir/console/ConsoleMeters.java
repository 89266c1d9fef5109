package io.weir.console;

import io.weir.FailurePolicy;
import io.weir.Meters;
import io.weir.algorithm.Verdict;
import io.weir.store.LeaseCounts;
import io.weir.store.OwnerHealth;
import io.weir.store.Source;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts what a {@link Console} shows, and passes everything on to the application's own meters, if it has any. Thread-safe; one for a
 * {@link io.weir.Weir}, to be handed to {@link io.weir.Weir.Builder#meters}.
 *
 * <p>A decision costs one addition, on a cell that threads do not share, and nothing is allocated. A limit costs about 1 KB. What is
 * counted of a limit that is removed stays, and goes on if one of that name is defined again.
 */
public final class ConsoleMeters implements Meters {

    private final @Nullable Meters beside;
    private final Map<String, LimitCounts> counts = new ConcurrentHashMap<>();

    private ConsoleMeters(@Nullable Meters beside) {
        this.beside = beside;
    }

    /** Of an application that has no other meters. */
    public static ConsoleMeters create() {
        return new ConsoleMeters(null);
    }

    /**
     * Of an application that has others, which are told everything as if they were the only ones.
     *
     * @param meters the others, {@link io.weir.MicrometerMeters} say
     */
    public static ConsoleMeters beside(Meters meters) {
        return new ConsoleMeters(Objects.requireNonNull(meters, "meters"));
    }

    /** What was counted of a limit since this was made; nothing if there never was one of that name. */
    Tally tally(String limit) {
        LimitCounts counted = counts.get(limit);
        return counted == null ? Tally.NONE : counted.tally();
    }

    @Override
    public OfLimit of(String limit, FailurePolicy policy) {
        return counting(limit, beside == null ? null : beside.of(limit, policy));
    }

    @Override
    public OfLimit ofShadow(String limit, FailurePolicy policy) {
        return counting(limit, beside == null ? null : beside.ofShadow(limit, policy));
    }

    private OfLimit counting(String limit, @Nullable OfLimit other) {
        LimitCounts counted = counts.computeIfAbsent(limit, name -> new LimitCounts());
        return other == null ? new Alone(counted) : new Counting(counted, other);
    }

    @Override
    public void owners(List<OwnerHealth> owners) {
        if (beside != null) {
            beside.owners(owners);
        }
    }

    @Override
    public void guard(String name, IntSupplier inFlight, LongSupplier shed) {
        if (beside != null) {
            beside.guard(name, inFlight, shed);
        }
    }

    /** The rest is read from the limiter itself. */
    private record Alone(LimitCounts counts) implements OfLimit {

        @Override
        public void decided(Verdict verdict, Source source) {
            counts.decided(verdict, source);
        }

        @Override
        public void storeAsked(boolean answered, long nanos) {
            // the console shows no times of calls
        }

        @Override
        public void inFallback(long nanos) {
            // the limiter's health tells it
        }
    }

    /** First our own: the other may throw. */
    private record Counting(LimitCounts counts, OfLimit other) implements OfLimit {

        @Override
        public void decided(Verdict verdict, Source source) {
            counts.decided(verdict, source);
            other.decided(verdict, source);
        }

        @Override
        public void storeAsked(boolean answered, long nanos) {
            other.storeAsked(answered, nanos);
        }

        @Override
        public void inFallback(long nanos) {
            other.inFallback(nanos);
        }

        @Override
        public void missed() {
            other.missed();
        }

        @Override
        public void punished() {
            other.punished();
        }

        @Override
        public void strikeMissed() {
            other.strikeMissed();
        }

        @Override
        public void leases(Supplier<LeaseCounts> leases) {
            other.leases(leases);
        }

        @Override
        public void headroom(DoubleSupplier left) {
            other.headroom(left);
        }
    }
}
