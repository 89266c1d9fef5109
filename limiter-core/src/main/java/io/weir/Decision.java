package io.weir;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Request;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.Source;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one request.
 *
 * <p>What could not be known is absent rather than invented: a decision made without the owner of the bucket
 * ({@link Source#SHARE}, {@link Source#POLICY}) or without counting ({@link Source#SWITCHED_OFF}) has no balance and no
 * wait. Durations are exact to the nanosecond and count from the instant of the decision. Thread-safe.
 */
public final class Decision {

    private static final AtomicIntegerFieldUpdater<Decision> SETTLED =
            AtomicIntegerFieldUpdater.newUpdater(Decision.class, "settled");

    private final Limit limit;
    private final long permits;
    private final Verdict verdict;
    private final Source source;

    /** What the store said, where it was asked and its word counts; null for decisions without a balance. */
    private final @Nullable Answer answer;

    private final int bandwidth;

    /** Where permits were taken from and can go back to, with the key; both null where nothing was taken. */
    private final @Nullable Buckets charged;

    private final @Nullable String key;

    @SuppressWarnings("UnusedVariable") // written through SETTLED
    private volatile int settled;

    private Decision(
            Limit limit,
            long permits,
            Verdict verdict,
            Source source,
            @Nullable Answer answer,
            @Nullable Buckets charged,
            @Nullable String key) {
        this.limit = limit;
        this.permits = permits;
        this.verdict = verdict;
        this.source = source;
        this.answer = answer;
        this.bandwidth = answer == null ? 0 : governing(answer.state(), permits, verdict);
        this.charged = charged;
        this.key = key;
    }

    /** A decision of the store that owns the bucket. */
    static Decision answered(Limit limit, String key, long permits, Answer answer, Buckets buckets) {
        boolean charged = answer.verdict() == Verdict.GRANTED && permits > 0;
        return new Decision(
                limit,
                permits,
                answer.verdict(),
                answer.source(),
                answer,
                charged ? buckets : null,
                charged ? key : null);
    }

    /** A decision that nothing was taken for, and that knows of no balance. */
    static Decision uncounted(Limit limit, long permits, Verdict verdict, Source source) {
        return new Decision(limit, permits, verdict, source, null, null, null);
    }

    /** A decision by a share: its balance is not the limit's, and not spoken of; but what it took can go back. */
    static Decision shared(Limit limit, String key, long permits, Verdict verdict, Buckets share) {
        boolean charged = verdict == Verdict.GRANTED && permits > 0;
        return new Decision(limit, permits, verdict, Source.SHARE, null, charged ? share : null, charged ? key : null);
    }

    /** Whether the caller may go ahead. */
    public boolean granted() {
        return verdict == Verdict.GRANTED;
    }

    /**
     * Whether more was asked for than the limit's capacity: denied, and no wait would help.
     */
    public boolean impossible() {
        return verdict == Verdict.NEVER;
    }

    /** Granted, denied, or denied for ever. */
    public Verdict verdict() {
        return verdict;
    }

    /** The limit that was asked. */
    public Limit limit() {
        return limit;
    }

    /** How many permits were asked for. */
    public long permits() {
        return permits;
    }

    /** Where the decision came from. */
    public Source source() {
        return source;
    }

    /**
     * The bandwidths in force. Where a node of the cluster has newer numbers than this one, they are what is in force, and
     * not the ones that {@link #limit()} has on this node.
     *
     * @return as they were declared; of a decision without a balance, the ones of {@link #limit()}
     */
    public List<Bandwidth> bandwidths() {
        return answer == null
                ? limit.bandwidths()
                : answer.state().rule().algorithm().bandwidths();
    }

    /**
     * The one of {@link #bandwidths()} that this decision hangs on: of a denial, the one with the longest wait; of an
     * impossible request, the first that is too small; of a grant, the one with the fewest permits left; of a decision
     * without a balance, the first.
     */
    public Bandwidth bandwidth() {
        return bandwidths().get(bandwidth);
    }

    /** The capacity of {@link #bandwidth()}, in permits. */
    public long capacity() {
        return bandwidth().capacity();
    }

    /** The time in which {@link #bandwidth()} fills from empty, at most 292 years. */
    public Duration window() {
        return bandwidth().window();
    }

    /**
     * Whole permits left in {@link #bandwidth()} after this decision, never negative; empty if unknown. For requests that
     * reached the bucket together it is what was left after the last of them. Permits that this node took from the bucket
     * ahead of demand, and still holds, are among them.
     */
    public OptionalLong remaining() {
        return answer == null ? OptionalLong.empty() : OptionalLong.of(Math.max(0, left(answer)));
    }

    /** Whether {@link #remaining()} was true a moment ago, rather than at the instant of this decision. */
    public boolean stale() {
        return answer != null && answer.stale();
    }

    /**
     * The shortest wait after which the same request could be granted. Empty if it was granted, if it is
     * {@linkplain #impossible() impossible}, and if nobody can know. A wait of 292 years or more is given as that. Where a
     * store knows that asking again sooner is in vain, it may be longer than the bucket takes to refill.
     */
    public Optional<Duration> retryAfter() {
        return answer != null && verdict == Verdict.DENIED
                ? wait(answer, Math.max(answer.notBeforeNanos(), answer.state().readyAtNanos(bandwidth, permits)))
                : Optional.empty();
    }

    /**
     * How long until {@link #bandwidth()} holds one permit more than {@link #remaining()}; zero if it is full, empty if
     * unknown.
     */
    public Optional<Duration> timeToNextPermit() {
        if (answer == null) {
            return Optional.empty();
        }
        long next = Math.min(capacity(), Math.max(0, answer.state().level(bandwidth)) + 1);
        return isFull(answer)
                ? Optional.of(Duration.ZERO)
                : wait(answer, answer.state().readyAtNanos(bandwidth, next));
    }

    /**
     * How long until {@link #bandwidth()} is full, if nothing more is taken; empty if unknown. What this node holds ahead of
     * demand shortens neither this nor {@link #timeToNextPermit()}, unless it is all that the bucket lacks.
     */
    public Optional<Duration> timeToFull() {
        if (answer == null) {
            return Optional.empty();
        }
        return isFull(answer)
                ? Optional.of(Duration.ZERO)
                : wait(answer, answer.state().readyAtNanos(bandwidth, capacity()));
    }

    private boolean isFull(Answer known) {
        return left(known) >= capacity();
    }

    /** A level and what is held are at most the capacity together, and so their sum fits. */
    private long left(Answer known) {
        return known.state().level(bandwidth) + known.held();
    }

    /**
     * Gives back all that was granted, because it was not used. Call it soon: what is given back after the bucket has
     * refilled can be granted once more within the same span.
     *
     * @return as {@link #settle}
     */
    public CompletableFuture<Boolean> refund() {
        return settle(0);
    }

    /**
     * Says how many of the granted permits were used, and gives back the rest. Counts once: a second refund or settlement
     * of the same decision does nothing. A refund never lifts a bucket above its capacity.
     *
     * @param used from zero to the permits that were granted
     * @return whether the balance was corrected: false if nothing had been taken, if nothing was left over, or if this
     *     decision had been settled before. Fails with {@link io.weir.store.StoreUnavailableException} if the store could not be
     *     told; it is then unknown whether they went back, and they are not sent again
     * @throws IllegalArgumentException if {@code used} is negative or more than was granted
     */
    public CompletableFuture<Boolean> settle(long used) {
        if (used < 0 || used > permits) {
            throw new IllegalArgumentException(
                    "used permits must be 0 to " + permits + ", as granted, but are " + used);
        }
        if (charged == null || key == null || !SETTLED.compareAndSet(this, 0, 1) || used == permits) {
            return CompletableFuture.completedFuture(false);
        }
        return charged.decide(key, List.of(new Request.GiveBack(permits - used)), limit.deadlineNanos())
                .thenApply(answers -> true);
    }

    @Override
    public String toString() {
        return "Decision[" + limit.name() + ", " + verdict + ", " + permits + " permits, " + source
                + (answer == null
                        ? ""
                        : ", " + remaining().getAsLong() + " remaining in "
                                + bandwidth().name())
                + retryAfter().map(wait -> ", retry after " + wait).orElse("") + "]";
    }

    private static Optional<Duration> wait(Answer answer, long readyAtNanos) {
        long wait = readyAtNanos - answer.nowNanos();
        boolean centuries = readyAtNanos == Long.MAX_VALUE || (readyAtNanos > answer.nowNanos() && wait < 0);
        return Optional.of(Duration.ofNanos(centuries ? Long.MAX_VALUE : Math.max(0, wait)));
    }

    private static int governing(State state, long permits, Verdict verdict) {
        List<Bandwidth> bandwidths = state.rule().algorithm().bandwidths();
        int governing = 0;
        if (verdict == Verdict.NEVER) {
            while (governing < bandwidths.size() - 1
                    && permits <= bandwidths.get(governing).capacity()) {
                governing++;
            }
            return governing;
        }
        for (int i = 1; i < bandwidths.size(); i++) {
            boolean tighter = verdict == Verdict.DENIED
                    ? state.readyAtNanos(i, permits) > state.readyAtNanos(governing, permits)
                    : state.level(i) < state.level(governing);
            if (tighter) {
                governing = i;
            }
        }
        return governing;
    }
}
