package io.weir.bench;

import java.net.InetSocketAddress;

/**
 * Where a member of a cluster is.
 *
 * @param listens the address it listens on
 * @param reached the address that the others know it by
 */
record Place(InetSocketAddress listens, InetSocketAddress reached) {

    /** A member that the others reach where it listens. */
    static Place of(InetSocketAddress address) {
        return new Place(address, address);
    }
}
