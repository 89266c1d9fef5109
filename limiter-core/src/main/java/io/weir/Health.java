package io.weir;

import io.weir.store.OwnerHealth;
import java.time.Duration;
import java.util.List;

/**
 * How an application's limits stand on this node: whether they are enforced as written, and if not, since when and why.
 * Immutable.
 *
 * @param limits every limit, in the order in which they were added
 * @param owners the members that own buckets, as far as this node has asked them; none if the store has no such members
 * @param behind for how long this node has not heard of {@linkplain io.weir.store.Directives directives}, and goes by those it knew; zero
 *     if it is up to date
 */
public record Health(List<LimitHealth> limits, List<OwnerHealth> owners, Duration behind) {

    /** Copies the lists. */
    public Health {
        limits = List.copyOf(limits);
        owners = List.copyOf(owners);
    }

    /** Of a node that is up to date. */
    public Health(List<LimitHealth> limits, List<OwnerHealth> owners) {
        this(limits, owners, Duration.ZERO);
    }

    /** Whether every limit is decided by its owners. */
    public boolean isExact() {
        return limits.stream().allMatch(each -> each.state() == LimitHealth.State.EXACT);
    }
}
