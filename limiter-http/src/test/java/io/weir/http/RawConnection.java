package io.weir.http;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A connection on which a client sends what no decent client would. Characters are bytes. */
final class RawConnection implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 30_000;

    private final Socket socket = new Socket();

    RawConnection(Container.Running server) throws IOException {
        this(server, 0);
    }

    /** With a small buffer for what is received, so that a server cannot get rid of much to a client that does not read. */
    RawConnection(Container.Running server, int receiveBytes) throws IOException {
        if (receiveBytes > 0) {
            socket.setReceiveBufferSize(receiveBytes);
        }
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()), TIMEOUT_MILLIS);
    }

    void send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    InputStream received() throws IOException {
        return socket.getInputStream();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** The whole answer to a request, up to the end of the connection: "" if the server just hangs up. */
    static String answer(Container.Running server, String requestLine, String... fields) throws IOException {
        try (RawConnection connection = new RawConnection(server)) {
            StringBuilder request =
                    new StringBuilder(requestLine).append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
            for (String field : fields) {
                request.append(field).append("\r\n");
            }
            connection.send(request.append("\r\n").toString());
            return new String(connection.received().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    /** The status of an answer; 400 where the server hung up, or answered as before HTTP had one. */
    static int status(String answer) {
        return answer.startsWith("HTTP/1.") ? Integer.parseInt(answer.substring(9, 12)) : 400;
    }
}
