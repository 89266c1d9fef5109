package io.weir.bench;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * One request over HTTP: clients with a connection and a key each ask a Tomcat as fast as they get answers, from the JVM that
 * it is in.
 */
@Threads(HttpBenchmark.CLIENTS)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@SuppressWarnings("NullAway.Init") // JMH calls make first
public class HttpBenchmark extends LimitedApplication {

    static final int CLIENTS = 8;

    private static final int WARM_UP_REQUESTS = 200;

    private LimitedServer server;
    private List<String> keys;

    /** Starts the server. */
    @Setup
    public void make() {
        start();
        server = new LimitedServer(limiting().filter());
        keys = keys(CLIENTS, Owner.ANOTHER);
    }

    /** Stops what was started. */
    @TearDown
    public void stop() {
        server.close();
        end();
    }

    @Benchmark
    public int request(Client client) throws IOException {
        int status = client.connection.get();
        expect(status);
        return status;
    }

    /** A thread that asks. */
    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH calls connect first
    public static class Client {
        private HttpConnection connection;

        /** Connects, and asks until requests are answered as they will be. */
        @Setup(Level.Trial)
        public void connect(HttpBenchmark row, ThreadParams threads) throws IOException {
            connectAs(row, threads.getThreadIndex());
        }

        void connectAs(HttpBenchmark row, int thread) throws IOException {
            connection = new HttpConnection(row.server.address(), row.keys.get(thread));
            for (int i = 0; i < WARM_UP_REQUESTS; i++) {
                connection.get();
            }
        }

        /** Hangs up. */
        @TearDown(Level.Trial)
        public void disconnect() throws IOException {
            connection.close();
        }
    }
}
