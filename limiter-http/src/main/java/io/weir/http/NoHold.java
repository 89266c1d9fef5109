package io.weir.http;

/** Nothing to settle, and nothing to give back. */
enum NoHold implements QuotaHold {
    NOTHING;

    @Override
    public void settle(long actual) {}

    @Override
    public void release() {}
}
