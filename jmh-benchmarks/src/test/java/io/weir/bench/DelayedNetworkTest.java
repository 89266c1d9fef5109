package io.weir.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DelayedNetworkTest {

    private static final Duration ROUND_TRIP = Duration.ofMillis(4);

    @Test
    void aPingTakesAtLeastTheTimeOfItsLink() throws Exception {
        try (Ping ping = new Ping(ROUND_TRIP)) {
            ping.send();
            long began = System.nanoTime();
            ping.send();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(ROUND_TRIP);
        }
    }

    @Test
    void everyByteArrivesInItsPlace() throws Exception {
        byte[] sent = new byte[1 << 20];
        new Random(42).nextBytes(sent);
        try (DelayedNetwork network = new DelayedNetwork(1, ROUND_TRIP)) {
            Place place = network.places().get(0);
            try (ServerSocket server = new ServerSocket(
                            place.listens().getPort(), 1, place.listens().getAddress());
                    Socket caller = new Socket(
                            place.reached().getAddress(), place.reached().getPort());
                    Socket callee = server.accept()) {
                CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> send(sent, caller));
                assertThat(callee.getInputStream().readNBytes(sent.length)).isEqualTo(sent);
                sending.get(10, TimeUnit.SECONDS);
                caller.shutdownOutput();
                assertThat(callee.getInputStream().read()).as("the end").isEqualTo(-1);
            }
        }
    }

    private static void send(byte[] bytes, Socket to) {
        try {
            to.getOutputStream().write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
