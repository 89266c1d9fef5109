package io.weir.bench;

/** Whether a node answers from memory yet. */
final class Leases {

    static final boolean LANDED = Boolean.getBoolean("weir.bench.leases");

    private Leases() {}
}
