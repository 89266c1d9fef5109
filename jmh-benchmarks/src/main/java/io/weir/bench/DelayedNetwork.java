package io.weir.bench;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Members that are far apart: each listens on a loopback address of its own and is reached by a {@link DelayedRelay} on
 * another one, whoever connects and in both directions. Linux has these addresses without being set up.
 */
final class DelayedNetwork implements Network {

    private final List<Place> places = new ArrayList<>();
    private final List<DelayedRelay> relays = new ArrayList<>();

    DelayedNetwork(int members, Duration roundTrip) {
        for (int member = 1; member <= members; member++) {
            InetSocketAddress listens = FreePorts.on("127.0.1." + member, 1).get(0);
            InetSocketAddress reached = FreePorts.on("127.0.2." + member, 1).get(0);
            Place place = new Place(listens, reached);
            places.add(place);
            relays.add(new DelayedRelay(place, roundTrip));
        }
    }

    @Override
    public List<Place> places() {
        return places;
    }

    @Override
    public void close() {
        relays.forEach(DelayedRelay::close);
    }
}
