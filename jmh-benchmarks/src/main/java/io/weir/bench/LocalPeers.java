package io.weir.bench;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.weir.KeyWatch;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.store.LocalStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Whom {@link LocalBenchmark} asks. Each is set up with every key asked for once, which drains those that deny. */
public final class LocalPeers {

    private LocalPeers() {}

    /** Weir over its local store. */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // JMH calls make first
    public static class WeirLocal {
        private Weir weir;
        private Limiter limiter;

        @Setup
        public void make(LocalBenchmark row) {
            weir = configure(Weir.over(LocalStore.create()).limit(row.outcome.limit("benchmark")))
                    .build();
            limiter = weir.limiter("benchmark");
            row.allKeys().forEach(limiter::tryAcquire);
        }

        @TearDown
        public void close() {
            weir.close();
        }

        Weir.Builder configure(Weir.Builder builder) {
            return builder;
        }

        boolean tryAcquire(String key) {
            return limiter.tryAcquire(key).granted();
        }
    }

    /** The same, watching keys: which of them ask for most, and which sit at their cap. */
    public static class WeirWatchingKeys extends WeirLocal {
        @Override
        Weir.Builder configure(Weir.Builder builder) {
            return builder.watchKeys(KeyWatch.create().atCap(Duration.ofHours(1), key -> {}));
        }
    }

    /**
     * A library without keys: one of its limiters for each.
     *
     * @param <L> its limiter
     */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // JMH calls make first
    public abstract static class Peer<L> {
        private Function<String, L> find;

        @Setup
        public void make(LocalBenchmark row) {
            Map<String, L> limiters = new ConcurrentHashMap<>();
            for (String key : row.allKeys()) {
                limiters.put(key, make(row.outcome));
            }
            L first = limiters.get(row.allKeys().get(0));
            find = row.keys == LocalBenchmark.Keys.ONE ? key -> first : limiters::get;
            row.allKeys().forEach(this::tryAcquire);
        }

        boolean tryAcquire(String key) {
            return take(find.apply(key));
        }

        abstract L make(Outcome outcome);

        abstract boolean take(L limiter);
    }

    /**
     * The least that a limiter which reads the clock for every call can do: it keeps the instant from which on it grants,
     * and moves it by compare-and-set.
     */
    public static class ClockAndCas extends Peer<AtomicLong> {

        /** In a year; or an hour ago, which calls that each move it by a nanosecond do not catch up with. */
        @Override
        AtomicLong make(Outcome outcome) {
            Bandwidth bandwidth = outcome.bandwidth();
            boolean grants = bandwidth.equals(Outcome.GRANTED.bandwidth());
            return new AtomicLong(
                    System.nanoTime() + (grants ? -TimeUnit.HOURS.toNanos(1) : TimeUnit.DAYS.toNanos(365)));
        }

        @Override
        boolean take(AtomicLong grantsFromNanos) {
            long now = System.nanoTime();
            while (true) {
                long from = grantsFromNanos.get();
                if (from - now > 0) {
                    return false;
                }
                if (grantsFromNanos.compareAndSet(from, from + 1)) {
                    return true;
                }
            }
        }
    }

    /** bucket4j's lock-free bucket. */
    public static class Bucket4j extends Peer<Bucket> {

        @Override
        Bucket make(Outcome outcome) {
            Bandwidth bandwidth = outcome.bandwidth();
            return Bucket.builder()
                    .addLimit(limit ->
                            limit.capacity(bandwidth.capacity()).refillGreedy(bandwidth.refill(), bandwidth.period()))
                    .build();
        }

        @Override
        boolean take(Bucket bucket) {
            return bucket.tryConsume(1);
        }
    }

    /** resilience4j's atomic limiter, which knows no capacity apart from the refill of a period. */
    public static class Resilience4j extends Peer<io.github.resilience4j.ratelimiter.RateLimiter> {

        @Override
        io.github.resilience4j.ratelimiter.RateLimiter make(Outcome outcome) {
            Bandwidth bandwidth = outcome.bandwidth();
            return io.github.resilience4j.ratelimiter.RateLimiter.of(
                    "benchmark",
                    RateLimiterConfig.custom()
                            .limitForPeriod((int) Math.min(Integer.MAX_VALUE, bandwidth.capacity()))
                            .limitRefreshPeriod(bandwidth.period())
                            .timeoutDuration(Duration.ZERO)
                            .build());
        }

        @Override
        boolean take(io.github.resilience4j.ratelimiter.RateLimiter limiter) {
            return limiter.acquirePermission();
        }
    }

    /** Guava's limiter, whose capacity is the refill of a second. */
    public static class Guava extends Peer<RateLimiter> {

        @Override
        RateLimiter make(Outcome outcome) {
            Bandwidth bandwidth = outcome.bandwidth();
            double perSecond =
                    (double) bandwidth.capacity() / bandwidth.period().toSeconds();
            return RateLimiter.create(perSecond);
        }

        @Override
        boolean take(RateLimiter limiter) {
            return limiter.tryAcquire();
        }
    }

    /** Failsafe's bursty limiter, which grants as much as the capacity in each period. */
    public static class Failsafe extends Peer<dev.failsafe.RateLimiter<Object>> {

        @Override
        dev.failsafe.RateLimiter<Object> make(Outcome outcome) {
            Bandwidth bandwidth = outcome.bandwidth();
            return dev.failsafe.RateLimiter.burstyBuilder(bandwidth.capacity(), bandwidth.period())
                    .build();
        }

        @Override
        boolean take(dev.failsafe.RateLimiter<Object> limiter) {
            return limiter.tryAcquirePermit();
        }
    }
}
