package io.weir.store;

/**
 * What has become of the permits that a node leased under one limit, in permits since its start. None of it ever falls.
 *
 * @param asked wanted beyond what requests needed
 * @param granted lent by owners
 * @param spent handed out to requests
 * @param returned sent back unspent, since they were idle, were asked back, or the store was closed; they are lost if that
 *     does not reach the owner
 * @param forfeited lost, since the lease had expired
 */
public record LeaseCounts(long asked, long granted, long spent, long returned, long forfeited) {

    /** Of a store that leases nothing. */
    public static final LeaseCounts NONE = new LeaseCounts(0, 0, 0, 0, 0);
}
