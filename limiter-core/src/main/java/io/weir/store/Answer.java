package io.weir.store;

import io.weir.algorithm.PackedBucket;
import io.weir.algorithm.Request;
import io.weir.algorithm.State;
import io.weir.algorithm.Transition;
import io.weir.algorithm.Verdict;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a store answers to one request. Immutable.
 *
 * <p>It is made from a verdict and the bucket; the methods that return an {@code Answer} add to it what only some stores
 * have to say.
 */
public final class Answer {

    private final Verdict verdict;

    /** The bucket; null if it is in {@link #word}. */
    private final @Nullable State state;

    /** What {@link #word} means; null if the bucket is in {@link #state}. */
    private final @Nullable PackedBucket packed;

    private final long word;
    private final long nowNanos;
    private final Source source;
    private final boolean stale;
    private final long notBeforeNanos;
    private final long held;
    private final long usableAtNanos;

    private Answer(
            Verdict verdict,
            @Nullable State state,
            @Nullable PackedBucket packed,
            long word,
            long nowNanos,
            Source source,
            boolean stale,
            long notBeforeNanos,
            long held,
            long usableAtNanos) {
        this.verdict = verdict;
        this.state = state;
        this.packed = packed;
        this.word = word;
        this.nowNanos = nowNanos;
        this.source = source;
        this.stale = stale;
        this.notBeforeNanos = notBeforeNanos;
        this.held = held;
        this.usableAtNanos = usableAtNanos;
    }

    /**
     * An answer of a bucket of this JVM that is kept in one {@code long}.
     *
     * @param packed what {@code word} means
     * @param word the bucket after the decision
     * @param nowNanos the instant that {@code word} is told as of
     * @param held permits that were taken out of it ahead of demand and are left
     */
    static Answer packed(Verdict verdict, PackedBucket packed, long word, long nowNanos, long held) {
        boolean stale = PackedBucket.lots(word) > 0; // others may be taking what is out
        return new Answer(verdict, null, packed, word, nowNanos, Source.LOCAL, stale, nowNanos, held, nowNanos);
    }

    /**
     * An answer with the bucket as it was read for this decision.
     *
     * @param verdict what was decided
     * @param state the bucket after the decision; for requests that were decided together, after the last of them
     * @param nowNanos the instant of the decision, on the clock of whoever decided
     * @param source who decided
     */
    public static Answer of(Verdict verdict, State state, long nowNanos, Source source) {
        return new Answer(verdict, state, null, 0, nowNanos, source, false, nowNanos, 0, nowNanos);
    }

    /** The answer to a transition that was made for one request alone. */
    public static Answer of(Transition transition, long nowNanos, Source source) {
        return of(transition.verdict(), transition.state(), nowNanos, source);
    }

    /**
     * The answers to requests that were decided together, in their order.
     *
     * @param verdicts one for each request
     * @param state the bucket after the last of them
     * @param nowNanos as above
     * @param source as above
     */
    public static List<Answer> of(
            List<Verdict> verdicts, List<? extends Request> requests, State state, long nowNanos, Source source) {
        Answer[] answers = new Answer[requests.size()];
        long later = 0;
        for (int i = answers.length - 1; i >= 0; i--) {
            Request request = requests.get(i);
            Answer plain = of(verdicts.get(i), state, nowNanos, source);
            boolean granted = verdicts.get(i) == Verdict.GRANTED;
            answers[i] = granted && request instanceof Request.Reserve
                    ? plain.usableAt(state.usableAtNanos(request.permits(), later))
                    : plain;
            if (granted && (request instanceof Request.Reserve || request instanceof Request.Take)) {
                later += request.permits();
            }
        }
        return List.of(answers);
    }

    /** The same, if the bucket was remembered from an earlier answer rather than read for this one. */
    public Answer remembered() {
        return with(true, notBeforeNanos, held, usableAtNanos);
    }

    /**
     * The same, if the store knows that asking again before an instant is in vain, whatever the bucket promises: what the
     * caller is told to wait is then until the later of the two. An instant before {@link #nowNanos()} says nothing.
     *
     * @param instantNanos on the clock of {@link #nowNanos()}
     */
    public Answer notBefore(long instantNanos) {
        return with(stale, Math.max(nowNanos, instantNanos), held, usableAtNanos);
    }

    /**
     * The same, if whoever decided still holds permits of this key that it took from the bucket ahead of demand. They
     * count as remaining. How long the bucket takes to refill is told without them, so that it is never too short.
     *
     * @param permits as many of every bandwidth, zero or more
     * @throws IllegalArgumentException if {@code permits} is negative
     */
    public Answer holding(long permits) {
        return with(stale, notBeforeNanos, requireHeld(permits), usableAtNanos);
    }

    /**
     * The same, if what was granted may be used from an instant on only: permits that were {@linkplain
     * io.weir.algorithm.Request.Reserve reserved}.
     *
     * @param instantNanos on the clock of {@link #nowNanos()}; one before that says nothing
     */
    public Answer usableAt(long instantNanos) {
        return with(stale, notBeforeNanos, held, Math.max(nowNanos, instantNanos));
    }

    /** The same decision on the same bucket, with something else that only some stores have to say. */
    private Answer with(boolean nowStale, long notBefore, long nowHeld, long usableAt) {
        return new Answer(verdict, state, packed, word, nowNanos, source, nowStale, notBefore, nowHeld, usableAt);
    }

    private static long requireHeld(long permits) {
        if (permits < 0) {
            throw new IllegalArgumentException("permits held must not be negative but is " + permits);
        }
        return permits;
    }

    /** What was decided. */
    public Verdict verdict() {
        return verdict;
    }

    /** The bucket after the decision; for requests that were decided together, after the last of them. */
    public State state() {
        if (state != null) {
            return state;
        }
        return Objects.requireNonNull(packed, "neither a state nor a word").state(word, nowNanos);
    }

    /**
     * The instant of the decision, on the clock of whoever decided. Of a {@link #stale()} answer of {@link Source#LOCAL}, the
     * instant of the balance.
     */
    public long nowNanos() {
        return nowNanos;
    }

    /** The earliest instant at which asking again makes sense; {@link #nowNanos()} unless the store knows of a later one. */
    public long notBeforeNanos() {
        return notBeforeNanos;
    }

    /**
     * Permits of every bandwidth that whoever decided holds besides what is in the bucket. A lower bound if {@link #stale()}
     * and of {@link Source#LOCAL}: what other threads hold is not looked at.
     */
    public long held() {
        return held;
    }

    /** From when on what was granted may be used; {@link #nowNanos()} unless it was reserved. */
    public long usableAtNanos() {
        return usableAtNanos;
    }

    /** Who decided. */
    public Source source() {
        return source;
    }

    /** Whether {@link #state()} was true a moment ago, rather than at the instant of the decision. */
    public boolean stale() {
        return stale;
    }

    @Override
    public String toString() {
        return "Answer[" + verdict + " at " + nowNanos + " ns by " + source + (stale ? ", stale " : ", ") + state()
                + (held > 0 ? ", " + held + " held" : "")
                + (notBeforeNanos > nowNanos ? ", not before " + notBeforeNanos + " ns" : "") + "]";
    }
}
