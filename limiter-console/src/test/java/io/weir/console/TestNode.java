package io.weir.console;

import io.weir.FailurePolicy;
import io.weir.KeyWatch;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** An application with a console, whose time is told. */
final class TestNode implements AutoCloseable {

    static final Instant DATE = Instant.parse("2026-12-01T12:00:00Z");

    final Weir weir;
    final Console console;
    private long nowNanos = Duration.ofHours(1).toNanos();

    TestNode(Store store, String name, UnaryOperator<Weir.Builder> limits, UnaryOperator<Console.Builder> more) {
        ConsoleMeters meters = ConsoleMeters.create();
        this.weir = limits.apply(Weir.over(store).meters(meters).watchKeys(KeyWatch.create()))
                .build();
        this.console = more.apply(Console.of(weir, meters).node(name))
                .time(() -> nowNanos, () -> DATE.plusNanos(nowNanos))
                .build();
    }

    /** With one limit called {@code one}: a burst of ten, and one each hour. */
    TestNode(Store store, String name) {
        this(store, name, builder -> builder.limit(limit("one")), builder -> builder);
    }

    static Limit limit(String name) {
        return Limit.named(name, FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(10, 1, Duration.ofHours(1)))
                .build();
    }

    void ask(String limit, String key, int times) {
        for (int i = 0; i < times; i++) {
            weir.limiter(limit).tryAcquire(key);
        }
    }

    void pass(Duration time) {
        nowNanos += time.toNanos();
    }

    /** A second passes, and the console looks. */
    void second() {
        pass(Duration.ofSeconds(1));
        console.look();
        console.publish();
    }

    ConsoleAnswer get(String path, @Nullable String query) {
        return console.answer("GET", "/weir", path, query);
    }

    JsonTree data() {
        return data("");
    }

    JsonTree data(String query) {
        ConsoleAnswer answer = get("/data", query);
        if (answer.status() != 200) {
            throw new IllegalStateException("answered " + answer.status());
        }
        return JsonTree.of(answer.body());
    }

    @Override
    public void close() {
        console.close();
        weir.close();
    }
}
