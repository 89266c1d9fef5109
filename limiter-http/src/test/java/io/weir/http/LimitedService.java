package io.weir.http;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.store.LocalStore;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** One limit with one client, on time that passes when a test says so. It is 1,800,000,000 s UTC to begin with. */
final class LimitedService implements AutoCloseable {

    static final Instant BEGIN = Instant.ofEpochSecond(1_800_000_000);

    private final AtomicLong nanos = new AtomicLong();
    private final LocalStore store = LocalStore.create(nanos::get, 1_000);
    private final Weir weir;

    LimitedService(Limit limit) {
        this.weir = Weir.over(store).limit(limit).build();
    }

    Decision ask(long permits) {
        return weir.limiters().iterator().next().tryAcquire("client", permits);
    }

    Decision peek() {
        return ask(0);
    }

    void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    Instant now() {
        return BEGIN.plusNanos(nanos.get());
    }

    Weir weir() {
        return weir;
    }

    LocalStore store() {
        return store;
    }

    @Override
    public void close() {
        weir.close();
    }
}
