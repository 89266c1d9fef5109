package io.weir.bench;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A connection that asks for the same thing again and again. It knows as much of HTTP as is needed to tell where an answer
 * ends, and so takes little of the time that is measured. Not thread-safe.
 */
final class HttpConnection implements AutoCloseable {

    private static final int LONGEST_ANSWER = 8_192;

    /** A server that says nothing for so long will not say anything. */
    private static final int PATIENCE_MILLIS = 20_000;

    private static final String END_OF_HEAD = "\r\n\r\n";
    private static final String LENGTH = "\r\ncontent-length: ";
    private static final int STATUS_AT = "HTTP/1.1 ".length();

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final byte[] request;
    private final byte[] answer = new byte[LONGEST_ANSWER];

    HttpConnection(InetSocketAddress server, String key) throws IOException {
        request = ("GET " + ServletPeer.PATH + " HTTP/1.1\r\nHost: localhost\r\n" + ServletPeer.KEY_FIELD + ": " + key
                        + END_OF_HEAD)
                .getBytes(StandardCharsets.ISO_8859_1);
        socket = new Socket(server.getAddress(), server.getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = socket.getInputStream();
        out = socket.getOutputStream();
    }

    /**
     * Asks, and reads the whole answer.
     *
     * @return its status
     * @throws IOException if the connection breaks, or if the answer is longer than any that is expected, or of no known length
     */
    int get() throws IOException {
        out.write(request);
        int length = 0;
        String head = "";
        int end = -1;
        while (end < 0) {
            length += read(length);
            head = new String(answer, 0, length, StandardCharsets.ISO_8859_1);
            end = head.indexOf(END_OF_HEAD);
        }
        int whole = end + END_OF_HEAD.length() + contentLength(head);
        while (length < whole) {
            length += read(length);
        }
        return Integer.parseInt(head, STATUS_AT, STATUS_AT + 3, 10);
    }

    private int read(int offset) throws IOException {
        int read = in.read(answer, offset, answer.length - offset);
        if (read <= 0) {
            throw new EOFException("the answer ended, or filled " + answer.length + " bytes, before it was whole");
        }
        return read;
    }

    private static int contentLength(String head) throws IOException {
        for (int at = head.indexOf("\r\n"); at >= 0; at = head.indexOf("\r\n", at + 1)) {
            if (head.regionMatches(true, at, LENGTH, 0, LENGTH.length())) {
                int begin = at + LENGTH.length();
                return Integer.parseInt(head, begin, head.indexOf('\r', begin), 10);
            }
        }
        throw new IOException("an answer does not say how long it is: " + head);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
