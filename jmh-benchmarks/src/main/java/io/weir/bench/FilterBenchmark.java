package io.weir.bench;

import io.weir.store.Source;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One request through a servlet filter, in process: the filter is called directly, with a request and a response that cost
 * hardly anything, before an application that does hardly anything.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@SuppressWarnings("NullAway.Init") // JMH calls make first
public class FilterBenchmark extends LimitedApplication {

    private static final int WARM_UP_REQUESTS = 1_000;

    /** Who owns the key that is asked for. */
    @Param
    public Owner owner = Owner.ANOTHER;

    private final Greeting application = new Greeting();
    private KeySequence sequence;
    private Filter filter;

    /** Asks until requests are answered as they will be. */
    @Setup
    public void make() throws ServletException, IOException {
        start();
        filter = limiting().filter();
        sequence = KeySequence.uniform(keys(1, owner));
        Exchange exchange = new Exchange();
        Caller nobody = new Caller();
        for (int i = 0; i < WARM_UP_REQUESTS; i++) {
            pass(exchange, nobody);
        }
    }

    /** Stops what was started. */
    @TearDown
    public void stop() {
        end();
    }

    @Benchmark
    public int request(Exchange exchange, Caller caller) throws ServletException, IOException {
        int status = pass(exchange, caller);
        expect(status);
        return status;
    }

    private int pass(Exchange exchange, Caller caller) throws ServletException, IOException {
        exchange.request.recycle(caller.nextKey(sequence));
        exchange.response.recycle();
        filter.doFilter(exchange.request, exchange.response, application);
        Source stray = limiting().stray(exchange.request);
        if (stray != null) {
            caller.strays().add(stray);
        }
        return exchange.response.getStatus();
    }

    /** A thread's request and response. */
    @State(Scope.Thread)
    public static class Exchange {
        final InProcessRequest request = new InProcessRequest();
        final InProcessResponse response = new InProcessResponse();
    }
}
