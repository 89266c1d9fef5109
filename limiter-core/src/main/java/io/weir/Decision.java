package io.weir;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.PackedBucket;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Source;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one request.
 *
 * <p>What could not be known is absent rather than invented: a decision made without the owner of the bucket
 * ({@link Source#SHARE}, {@link Source#POLICY}) or without counting ({@link Source#SWITCHED_OFF}) has no balance and no
 * wait. Durations are exact to the nanosecond and count from the instant of the decision; while {@link #stale()}, from the
 * instant of the balance, which is a moment earlier. Thread-safe.
 */
public final class Decision {

    private static final VarHandle SETTLED;

    static {
        try {
            SETTLED = MethodHandles.lookup().findVarHandle(Decision.class, "settled", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /*
     * Small, since every request makes one: 72 bytes, and on the paths that are hot nothing besides. So it has the numbers
     * of an answer rather than the answer, and a bucket that comes as a word stays one until somebody asks what it holds.
     */

    private final Asked asked;
    private final long permits;
    private final Verdict verdict;
    private final Source source;

    /** The bucket; null in decisions without a balance, and if it is in {@link #word}. */
    private final @Nullable State state;

    /** What {@link #word} means; null in decisions without a balance, and if there is a {@link #state}. */
    private final @Nullable PackedBucket packed;

    /**
     * The bucket as {@link #packed} reads it or, beside a {@link #state} and of a key that is blocked, the earliest instant at which
     * to ask again.
     */
    private final long word;

    private final long nowNanos;
    private final long held;
    private final boolean stale;

    /** Who asked, if permits were taken and can go back; else null. */
    private final @Nullable String key;

    @SuppressWarnings("UnusedVariable") // written through SETTLED
    private volatile boolean settled;

    private Decision(
            Asked asked,
            String key,
            long permits,
            Verdict verdict,
            Source source,
            @Nullable State state,
            @Nullable PackedBucket packed,
            long word,
            long nowNanos,
            long held,
            boolean stale) {
        this.asked = asked;
        this.permits = permits;
        this.verdict = verdict;
        this.source = source;
        this.state = state;
        this.packed = packed;
        this.word = word;
        this.nowNanos = nowNanos;
        this.held = held;
        this.stale = stale;
        this.key = verdict == Verdict.GRANTED && permits > 0 ? key : null;
    }

    /** A decision of the store that owns the bucket. */
    static Decision answered(Asked asked, String key, long permits, Answer answer) {
        return new Decision(
                asked,
                key,
                permits,
                answer.verdict(),
                answer.source(),
                answer.state(),
                null,
                answer.notBeforeNanos(),
                answer.nowNanos(),
                answer.held(),
                answer.stale());
    }

    /** A decision of a bucket of this JVM that is kept in one {@code long}. */
    static Decision packed(
            Asked asked,
            String key,
            long permits,
            Verdict verdict,
            PackedBucket packed,
            long word,
            long nowNanos,
            long held) {
        boolean stale = PackedBucket.lots(word) > 0; // others may be taking what is out
        return new Decision(asked, key, permits, verdict, Source.LOCAL, null, packed, word, nowNanos, held, stale);
    }

    /** A decision from memory, on behalf of the store that owns the bucket. */
    static Decision remembered(
            Asked asked,
            String key,
            long permits,
            Verdict verdict,
            Source source,
            State state,
            long nowNanos,
            long notBeforeNanos,
            long held) {
        return new Decision(asked, key, permits, verdict, source, state, null, notBeforeNanos, nowNanos, held, true);
    }

    /** A decision that nothing was taken for, and that knows of no balance. */
    static Decision uncounted(Limit limit, long permits, Verdict verdict, Source source) {
        return new Decision(new Asked(limit, null), "", permits, verdict, source, null, null, 0, 0, 0, false);
    }

    /** A denial of a key that is blocked: nobody was asked, and nothing is known of its balance. */
    static Decision blocked(Limit limit, long permits, long leftNanos) {
        return new Decision(
                new Asked(limit, null),
                "",
                permits,
                Verdict.DENIED,
                Source.BLOCKED,
                null,
                null,
                leftNanos,
                0,
                0,
                false);
    }

    /** A decision by a share: its balance is not the limit's, and not spoken of; but what it took can go back. */
    static Decision shared(Limit limit, String key, long permits, Verdict verdict, Returns share) {
        return new Decision(new Asked(limit, share), key, permits, verdict, Source.SHARE, null, null, 0, 0, 0, false);
    }

    /**
     * Which of several denials of one request tells most about when it can be granted. The greatest is one that no wait would help
     * ({@link #impossible()}); then one whose wait nobody knows, since any other's would promise too much; then the one with
     * the longest wait.
     */
    public static final Comparator<Decision> BY_WAIT = Comparator.comparingLong(Decision::rank);

    private static long rank(Decision denial) {
        if (denial.impossible()) {
            return Long.MAX_VALUE;
        }
        Duration wait = denial.retryAfter().orElse(null);
        return wait == null ? Long.MAX_VALUE - 1 : Math.min(Long.MAX_VALUE - 2, wait.toNanos());
    }

    /** Whether the caller may go ahead: always, if the limit is a {@linkplain Limit#isShadow shadow}. */
    public boolean granted() {
        return verdict == Verdict.GRANTED || limit().isShadow();
    }

    /**
     * Whether the limit is a {@linkplain Limit#isShadow shadow} that would deny if it were enforced. All that is told besides, but
     * {@link #granted()}, is as it would be then.
     */
    public boolean wouldDeny() {
        return verdict != Verdict.GRANTED && limit().isShadow();
    }

    /**
     * Whether more was asked for than the limit's capacity: denied, and no wait would help.
     */
    public boolean impossible() {
        return verdict == Verdict.NEVER;
    }

    /** Granted, denied, or denied for ever; of a shadow, as it would be. */
    public Verdict verdict() {
        return verdict;
    }

    /** The limit that was asked. */
    public Limit limit() {
        return asked.limit();
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
        State known = state();
        return known == null ? limit().bandwidths() : known.rule().algorithm().bandwidths();
    }

    /**
     * The one of {@link #bandwidths()} that this decision hangs on: of a denial, the one with the longest wait; of an
     * impossible request, the first that is too small; of a grant, the one with the fewest permits left; of a decision
     * without a balance, the first.
     */
    public Bandwidth bandwidth() {
        State known = state();
        return bandwidths().get(known == null ? 0 : governing(known));
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
     * ahead of demand, and still holds, are among them as far as they are known: in a {@link Source#LOCAL} decision those
     * that the asking thread holds, so that while {@link #stale()} it is a lower bound of what there was.
     */
    public OptionalLong remaining() {
        State known = state();
        return known == null
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(0, Math.min(capacity(known), left(known))));
    }

    /** Whether {@link #remaining()} was true a moment ago, rather than at the instant of this decision. */
    public boolean stale() {
        return stale;
    }

    /**
     * The shortest wait after which the same request could be granted. Empty if it was granted, if it is
     * {@linkplain #impossible() impossible}, and if nobody can know. A wait of 292 years or more is given as that. Where a
     * store knows that asking again sooner is in vain, it may be longer than the bucket takes to refill. Of a key that is {@linkplain
     * Source#BLOCKED blocked} it is until the end of the block, whatever the bucket says then.
     */
    public Optional<Duration> retryAfter() {
        if (source == Source.BLOCKED) {
            return until(word);
        }
        State known = state();
        return known != null && verdict == Verdict.DENIED
                ? until(Math.max(notBeforeNanos(), known.readyAtNanos(governing(known), permits)))
                : Optional.empty();
    }

    /**
     * How long until {@link #bandwidth()} holds one permit more than {@link #remaining()}; zero if it is full, empty if
     * unknown.
     */
    public Optional<Duration> timeToNextPermit() {
        State known = state();
        if (known == null) {
            return Optional.empty();
        }
        int bandwidth = governing(known);
        long next = Math.min(capacity(known), Math.max(0, known.level(bandwidth)) + 1);
        return isFull(known) ? Optional.of(Duration.ZERO) : until(known.readyAtNanos(bandwidth, next));
    }

    /**
     * How long until {@link #bandwidth()} is full, if nothing more is taken; empty if unknown. What this node holds ahead of
     * demand shortens neither this nor {@link #timeToNextPermit()}, unless it is all that the bucket lacks.
     */
    public Optional<Duration> timeToFull() {
        State known = state();
        if (known == null) {
            return Optional.empty();
        }
        return isFull(known)
                ? Optional.of(Duration.ZERO)
                : until(known.readyAtNanos(governing(known), capacity(known)));
    }

    /** The bucket after this decision, or null if it is not known. */
    private @Nullable State state() {
        if (packed != null) {
            return packed.state(word, nowNanos);
        }
        return state;
    }

    private long notBeforeNanos() {
        return packed == null ? word : nowNanos;
    }

    private boolean isFull(State known) {
        return left(known) == capacity(known); // more is held than there may be now: the limit was lowered
    }

    /** A level and what is held are at most one capacity together, if not today's, and so their sum fits. */
    private long left(State known) {
        return known.level(governing(known)) + held;
    }

    private long capacity(State known) {
        return known.rule().algorithm().bandwidths().get(governing(known)).capacity();
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

    /** Settles a decision without a word to the store: its permits go back another way. False if it had been. */
    boolean settleElsewhere() {
        return SETTLED.compareAndSet(this, false, true);
    }

    /**
     * Says how many permits were used: for a cost that is known only afterwards. What is left over goes back; what was used
     * beyond the grant is charged, down to zero or as far into debt as the limit {@linkplain Limit#debt() allows}. Counts
     * once: a second refund or settlement of the same decision does nothing. A refund never lifts a bucket above its capacity.
     *
     * @param used zero or more
     * @return whether the balance was corrected: false if nothing had been taken, if what was granted was used, or if this
     *     decision had been settled before. Fails with {@link io.weir.store.StoreUnavailableException} if the store could not be
     *     told; it is then unknown whether it was corrected, and that is not tried again
     * @throws IllegalArgumentException if {@code used} is negative
     */
    public CompletableFuture<Boolean> settle(long used) {
        if (used < 0) {
            throw new IllegalArgumentException("used permits must not be negative but are " + used);
        }
        Returns charged = asked.returns();
        if (charged == null || key == null || !SETTLED.compareAndSet(this, false, true) || used == permits) {
            return CompletableFuture.completedFuture(false);
        }
        long deadline = limit().deadlineNanos();
        CompletableFuture<Void> told = used < permits
                ? charged.giveBack(key, permits - used, deadline)
                : charged.charge(key, used - permits, limit().debt(), deadline);
        return told.thenApply(done -> true);
    }

    @Override
    public String toString() {
        return "Decision[" + limit().name() + ", " + verdict + ", " + permits + " permits, " + source
                + (remaining().isEmpty()
                        ? ""
                        : ", " + remaining().getAsLong() + " remaining in "
                                + bandwidth().name())
                + retryAfter().map(wait -> ", retry after " + wait).orElse("") + "]";
    }

    private Optional<Duration> until(long readyAtNanos) {
        long wait = readyAtNanos - nowNanos;
        boolean centuries = readyAtNanos == Long.MAX_VALUE || (readyAtNanos > nowNanos && wait < 0);
        return Optional.of(Duration.ofNanos(centuries ? Long.MAX_VALUE : Math.max(0, wait)));
    }

    private int governing(State known) {
        List<Bandwidth> bandwidths = known.rule().algorithm().bandwidths();
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
                    ? known.readyAtNanos(i, permits) > known.readyAtNanos(governing, permits)
                    : known.level(i) < known.level(governing);
            if (tighter) {
                governing = i;
            }
        }
        return governing;
    }
}
