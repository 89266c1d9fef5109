package io.weir.bench;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.SocketFactory;

/**
 * Makes sockets that count round trips: each time that something is read after something was written. Named to a driver that takes
 * a socket factory, it counts what the driver really sends, and not what is asked of it.
 */
public final class CountingSockets extends SocketFactory {

    private static final AtomicLong ROUND_TRIPS = new AtomicLong();

    /** For whoever makes it by its name. */
    public CountingSockets() {}

    /** Of all sockets so far. */
    static long roundTrips() {
        return ROUND_TRIPS.get();
    }

    @Override
    public Socket createSocket() {
        return new Counting();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        throw new IOException("only sockets that are connected later are counted");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket(host.isEmpty() ? "localhost" : host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return createSocket(host.getHostName(), port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket(host, port);
    }

    /** Used by one thread at a time, as a connection is. */
    private static final class Counting extends Socket {
        private volatile boolean asked;

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    answered();
                    return super.read();
                }

                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    answered();
                    return super.read(bytes, offset, length);
                }
            };
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    asked = true;
                    out.write(bytes, offset, length);
                }
            };
        }

        private void answered() {
            if (asked) {
                asked = false;
                ROUND_TRIPS.incrementAndGet();
            }
        }
    }
}
