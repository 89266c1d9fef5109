package io.weir.bench;

import java.util.List;

/** The places of a cluster's members, with what lies between them. */
interface Network extends AutoCloseable {

    List<Place> places();

    @Override
    void close();

    /** The loopback interface, as fast as it is. */
    static Network direct(int members) {
        List<Place> places =
                FreePorts.on("127.0.0.1", members).stream().map(Place::of).toList();
        return new Network() {
            @Override
            public List<Place> places() {
                return places;
            }

            @Override
            public void close() {}
        };
    }
}
