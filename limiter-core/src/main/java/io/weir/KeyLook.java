package io.weir;

import io.weir.algorithm.Verdict;
import io.weir.store.Directive;
import io.weir.store.LastKnown;
import io.weir.store.Source;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one key under one limit. Immutable.
 *
 * @param balance a peek: the numbers that the key goes by, what is left, and when it is full; made by the failure policy if the owner did
 *     not answer
 * @param blockedFor for how long it is still blocked, here or under every limit; zero if it is not
 * @param override what was said of its own numbers at run time, or null; also if they were cleared
 * @param heldHere permits that this node holds of it ahead of demand
 * @param remembered what this node last heard of its bucket, or null
 * @param decisions the last decisions of this node, oldest first; none unless they are {@linkplain Weir.Builder#rememberDecisions remembered}
 */
public record KeyLook(
        Decision balance,
        Duration blockedFor,
        @Nullable Directive override,
        long heldHere,
        @Nullable LastKnown remembered,
        List<Seen> decisions) {

    /** Copies the decisions. */
    public KeyLook {
        Objects.requireNonNull(balance, "balance");
        decisions = List.copyOf(decisions);
    }

    /**
     * One decision of this node.
     *
     * @param permits how many were asked for
     * @param verdict what was decided
     * @param source where that came from
     * @param ago how long ago
     */
    public record Seen(long permits, Verdict verdict, Source source, Duration ago) {}

    /** What was said of the key's own numbers at run time; {@link Limit#overrideOf} has those of the definition. */
    public Optional<Directive> ownNumbers() {
        return Optional.ofNullable(override);
    }
}
