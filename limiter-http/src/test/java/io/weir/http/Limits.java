package io.weir.http;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.store.LocalStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The limits of an application, on time that passes when a test says so. It is 1,800,000,000 s UTC to begin with. */
final class Limits implements AutoCloseable {

    private final AtomicLong nanos = new AtomicLong();
    private final Weir weir;

    private Limits(Consumer<Weir.Builder> more, int maxKeys) {
        Weir.Builder builder = Weir.over(LocalStore.create(nanos::get, maxKeys));
        more.accept(builder);
        this.weir = builder.build();
    }

    static Limits of(Limit... limits) {
        return of(weir -> Arrays.stream(limits).forEach(weir::limit), 100_000);
    }

    static Limits of(Consumer<Weir.Builder> more, int maxKeys) {
        return new Limits(more, maxKeys);
    }

    static Limit perMinute(String name, long permits) {
        return Limit.named(name, FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(permits, permits, Duration.ofMinutes(1)))
                .build();
    }

    HttpLimits.Builder http(Route... routes) {
        HttpLimits.Builder http = HttpLimits.over(weir).wall(() -> LimitedService.BEGIN.plusNanos(nanos.get()));
        Arrays.stream(routes).forEach(http::route);
        return http;
    }

    void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    long left(String limit, String key) {
        return weir.limiter(limit).peek(key).remaining().orElseThrow();
    }

    /** Spends all that a key has. */
    void drain(String limit, String key) {
        weir.limiter(limit).tryAcquire(key, left(limit, key));
    }

    Weir weir() {
        return weir;
    }

    @Override
    public void close() {
        weir.close();
    }
}
