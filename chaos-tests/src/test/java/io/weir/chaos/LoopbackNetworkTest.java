package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two places, and one connection from the second to the first. */
@Timeout(30)
class LoopbackNetworkTest {

    private static final Link THERE = new Link(2, 1);
    private static final Link BACK = new Link(1, 2);

    private final LoopbackNetwork network = new LoopbackNetwork("test");
    private final Place first = network.place(1, Role.FULL);
    private final Place second = network.place(2, Role.FULL);
    private ServerSocket server = new ServerSocket();
    private Socket caller = new Socket();
    private Socket callee = new Socket();

    LoopbackNetworkTest() throws IOException {}

    @BeforeEach
    void connect() throws IOException {
        server = new ServerSocket(first.port(), 0, InetAddress.getByName(first.listens()));
        caller = call();
        callee = server.accept();
        caller.setSoTimeout(200);
        callee.setSoTimeout(200);
    }

    @AfterEach
    void close() throws IOException {
        caller.close();
        callee.close();
        server.close();
        network.close();
    }

    @Test
    void handsOnWhatIsSentBothWays() throws IOException {
        assertThat(sent(caller, callee, 7)).isEqualTo(7);
        assertThat(sent(callee, caller, 8)).isEqualTo(8);
    }

    @Test
    void holdsBackOneDirectionUntilItHeals() throws IOException {
        network.set(THERE, Weather.SILENT);
        caller.getOutputStream().write(1);
        assertThatIOException().isThrownBy(() -> read(callee)).isInstanceOf(SocketTimeoutException.class);
        assertThat(sent(callee, caller, 2)).isEqualTo(2);
        network.heal();
        callee.setSoTimeout(10_000);
        assertThat(read(callee)).isEqualTo(1);
    }

    @Test
    void resetsConnectionsAndRefusesNewOnes() throws IOException {
        network.set(BACK, Weather.RESETTING);
        assertThatIOException().isThrownBy(() -> read(caller)).isNotInstanceOf(SocketTimeoutException.class);
        assertThatIOException().isThrownBy(() -> {
            try (Socket again = call()) {
                again.setSoTimeout(10_000);
                throw new IOException("read " + read(again));
            }
        });
        network.heal();
        try (Socket again = call()) {
            assertThat(again.isConnected()).isTrue();
        }
    }

    @Test
    void delaysWhatIsSent() throws IOException {
        network.set(THERE, Weather.slow(Duration.ofMillis(300)));
        callee.setSoTimeout(10_000);
        long began = System.nanoTime();
        assertThat(sent(caller, callee, 3)).isEqualTo(3);
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(300_000_000L);
    }

    /** Lost three times, and sent again after 200, 400 and 800 ms. */
    @Test
    void losesNothingButTime() throws IOException {
        network.set(THERE, Weather.lossy(100));
        callee.setSoTimeout(10_000);
        long began = System.nanoTime();
        assertThat(sent(caller, callee, 4)).isEqualTo(4);
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(1_400_000_000L);
    }

    @Test
    void saysWhatIsMissingOnOtherSystems() {
        assertThatCode(() -> LoopbackNetwork.requireLinux("Linux")).doesNotThrowAnyException();
        assertThatIllegalStateException()
                .isThrownBy(() -> LoopbackNetwork.requireLinux("Mac OS X"))
                .withMessage("chaos tests need Linux: each process has an address of its own, from 127.0.0.11 on,"
                        + " and this is Mac OS X");
    }

    private Socket call() throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(second.reached(), 0));
        socket.connect(new InetSocketAddress(first.reached(), first.port()));
        return socket;
    }

    private static int sent(Socket from, Socket to, int what) throws IOException {
        from.getOutputStream().write(what);
        return read(to);
    }

    private static int read(Socket from) throws IOException {
        return from.getInputStream().read();
    }
}
