package io.weir.bench;

import com.hazelcast.map.IMap;
import com.hazelcast.map.impl.proxy.MapProxyImpl;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Ways to have the owner of a key run a processor, one call at a time and with {@value InFlight#MOST} in flight, and how
 * many threads each of them starts.
 *
 * <p>{@code submitToKey} returns a future that hands a stage to Hazelcast's default executor for callbacks, which on one
 * or two CPUs starts a thread for each. That is what {@link ThreadsStarted} shows; on a larger machine run with {@code
 * -jvmArgsAppend -XX:ActiveProcessorCount=2} to see it.
 */
public class OwnerCallBenchmark extends OnCluster {

    private static final int POOLED_THREADS = 4;

    private final IMap<String, Long> map = cluster.map("owner-call");
    private final MapProxyImpl<String, Long> proxy = (MapProxyImpl<String, Long>) map;
    private final String key = cluster.remoteKeys(1, "").get(0);
    private final ExecutorService pool = Executors.newFixedThreadPool(POOLED_THREADS);

    /** Stops threads and members. */
    @TearDown
    public void stop() {
        pool.shutdown();
        cluster.close();
    }

    @Benchmark
    public Object oneExecuteOnKey(ThreadsStarted threads) {
        threads.calls++;
        return map.executeOnKey(key, new WriteProcessor());
    }

    @Benchmark
    public Object oneSubmitToKey(ThreadsStarted threads) throws ExecutionException, InterruptedException {
        threads.calls++;
        return map.submitToKey(key, new WriteProcessor()).toCompletableFuture().get();
    }

    @Benchmark
    public Object oneInternal(ThreadsStarted threads) {
        threads.calls++;
        return proxy.executeOnKeyInternal(key, new WriteProcessor())
                .whenCompleteAsync((result, thrown) -> {}, Runnable::run)
                .join();
    }

    @Benchmark
    public Object onePooled(ThreadsStarted threads) throws ExecutionException, InterruptedException {
        threads.calls++;
        return pool.submit(() -> map.executeOnKey(key, new WriteProcessor())).get();
    }

    @Benchmark
    public CompletionStage<?> manySubmitToKey(ThreadsStarted threads) throws InterruptedException {
        threads.calls++;
        inFlight.start();
        return map.submitToKey(key, new WriteProcessor()).whenComplete((result, thrown) -> inFlight.end(thrown));
    }

    @Benchmark
    public CompletionStage<?> manySubmitToKeyCallerRuns(ThreadsStarted threads) throws InterruptedException {
        threads.calls++;
        inFlight.start();
        return map.submitToKey(key, new WriteProcessor())
                .whenCompleteAsync((result, thrown) -> inFlight.end(thrown), Runnable::run);
    }

    @Benchmark
    public CompletionStage<?> manyInternal(ThreadsStarted threads) throws InterruptedException {
        threads.calls++;
        inFlight.start();
        return proxy.executeOnKeyInternal(key, new WriteProcessor())
                .whenCompleteAsync((result, thrown) -> inFlight.end(thrown), Runnable::run);
    }

    @Benchmark
    public void manyPooled(ThreadsStarted threads) throws InterruptedException {
        threads.calls++;
        inFlight.start();
        pool.execute(() -> {
            try {
                map.executeOnKey(key, new WriteProcessor());
                inFlight.end(null);
            } catch (RuntimeException e) {
                inFlight.end(e);
            }
        });
    }

    /** Counts calls, and the threads that were started meanwhile. */
    @AuxCounters(AuxCounters.Type.EVENTS)
    @State(Scope.Thread)
    public static class ThreadsStarted {
        public long calls;

        private long startedBefore;

        @Setup(Level.Iteration)
        public void begin() {
            startedBefore = totalStarted();
        }

        public long threadsStarted() {
            return totalStarted() - startedBefore;
        }

        private static long totalStarted() {
            return ManagementFactory.getThreadMXBean().getTotalStartedThreadCount();
        }
    }
}
