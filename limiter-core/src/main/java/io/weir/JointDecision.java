package io.weir;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What several limits said of one request: granted by all of them, or charged to none. Immutable and thread-safe, except that
 * it can be {@linkplain #refund() refunded} once.
 */
public final class JointDecision {

    /** Unknown counts as plenty. */
    private static final Comparator<Decision> BY_REMAINING =
            Comparator.comparingLong(decision -> decision.remaining().orElse(Long.MAX_VALUE));

    private final List<Decision> decisions;
    private final boolean granted;
    private final Decision governing;

    /** @param decisions at least one */
    JointDecision(List<Decision> decisions) {
        this.decisions = List.copyOf(decisions);
        this.granted = decisions.stream().allMatch(Decision::granted);
        List<Decision> enforced =
                decisions.stream().filter(each -> !each.limit().isShadow()).toList();
        this.governing = granted
                ? (enforced.isEmpty() ? decisions : enforced)
                        .stream().min(BY_REMAINING).orElseThrow()
                : enforced.stream()
                        .filter(each -> !each.granted())
                        .max(Decision.BY_WAIT)
                        .orElseThrow();
    }

    /** Whether the caller may go ahead. If not, no limit was charged, or what was taken is on its way back. */
    public boolean granted() {
        return granted;
    }

    /**
     * What each limit said, in the order in which they were asked.
     *
     * <p>If the request was denied, a limit among them that granted has not been charged: what it tells as remaining is
     * without the permits that are on their way back. A limit is missing if it was not asked, since this node knew that
     * another one would deny.
     *
     * @return at least one; unmodifiable
     */
    public List<Decision> decisions() {
        return decisions;
    }

    /**
     * The decision that the request hangs on: of a denial the greatest {@linkplain Decision#BY_WAIT by wait}; of a grant the one with the fewest permits left. Never
     * that of a shadow, unless there is no other.
     */
    public Decision governing() {
        return governing;
    }

    /** {@link Decision#retryAfter()} of {@link #governing()}: by then none of these limits denies, if nothing else is taken. */
    public Optional<Duration> retryAfter() {
        return governing.retryAfter();
    }

    /**
     * Gives back all that was granted, to every limit, because it was not used. Of {@link #decisions()} each can be
     * {@linkplain Decision#settle settled} by itself instead.
     *
     * @return whether any balance was corrected; as {@link Decision#refund()} otherwise. False of a denial
     */
    public CompletableFuture<Boolean> refund() {
        CompletableFuture<Boolean> any = CompletableFuture.completedFuture(false);
        for (Decision each : decisions) {
            any = any.thenCombine(each.refund(), (one, other) -> one || other);
        }
        return any;
    }

    @Override
    public String toString() {
        return "JointDecision" + decisions;
    }
}
