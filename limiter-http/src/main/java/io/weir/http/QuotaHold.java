package io.weir.http;

/**
 * What was taken of quotas for one request, in the hands of what keeps them. Called by one thread at a time. Each may be called again after it has thrown, and then with
 * the same amount: it must do the same once.
 */
public interface QuotaHold {

    /**
     * Ends an estimate with what it really cost.
     *
     * @param actual of each quota; from 0
     */
    void settle(long actual);

    /** Gives all of it back: releases an estimate, refunds a spend. */
    void release();

    /** That of a request for which nothing was taken, such as one that was let through while the ledger was away. */
    static QuotaHold nothing() {
        return NoHold.NOTHING;
    }
}
