package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Verdict;
import io.weir.store.Source;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Meters that throw at every decision hurt none. */
class GuardedMetersTest {

    private final AtomicLong nowNanos = new AtomicLong();
    private final FaultyStore store = new FaultyStore(nowNanos, OptionalInt.of(1));
    private final AtomicInteger thrown = new AtomicInteger();
    private final LogLines log = new LogLines();
    private final Weir weir = Weir.over(store)
            .limit(limit("api"))
            .limit(limit("login"))
            .meters((limit, policy) -> new MetersOfNothing() {
                @Override
                public void decided(Verdict verdict, Source source) {
                    thrown.incrementAndGet();
                    throw Sneaky.thrown(new IOException("registry closed")); // as Kotlin and Scala may
                }

                @Override
                public void storeAsked(boolean answered, long nanos) {
                    thrown.incrementAndGet();
                    throw new AssertionError("registry full");
                }
            })
            .time(nowNanos::get, duration -> nowNanos.addAndGet(duration.toNanos()))
            .build();

    private static Limit limit(String name) {
        return Limit.named(name, FailurePolicy.GRANT)
                .bandwidth(Bandwidth.of(2, 1, Duration.ofDays(1)))
                .build();
    }

    @AfterEach
    void close() {
        log.close();
        weir.close();
    }

    @Test
    void letADecisionStand() throws InterruptedException {
        store.answerFrom(Source.CLUSTER);
        Limiter limiter = weir.limiter("api");

        assertThat(limiter.tryAcquire("a").granted()).isTrue();
        assertThat(limiter.tryAcquireAsync("a").join().granted()).isTrue();
        assertThat(limiter.tryAcquire("a").granted()).isFalse();
        assertThat(limiter.acquire("a", 1, Duration.ofSeconds(1)).granted()).isFalse();
        assertThat(thrown).hasValue(8);
    }

    @Test
    void letAnOutageBeOne() {
        store.failWith(FaultyStore.unreachable());
        Limiter limiter = weir.limiter("api");

        assertThat(limiter.tryAcquire("a").source()).isEqualTo(Source.POLICY);
        assertThat(limiter.tryAcquireAsync("a").join().source()).isEqualTo(Source.POLICY);
        assertThat(limiter.health().state()).isEqualTo(LimitHealth.State.DEGRADED);
        assertThat(limiter.health().answeredByPolicy()).isEqualTo(2);
        assertThat(thrown).hasValue(4);
    }

    @Test
    void areSpokenOfOnceForEachLimit() {
        for (int i = 0; i < 100; i++) {
            weir.limiter("api").tryAcquire("a");
            weir.limiter("login").tryAcquire("a");
        }

        assertThat(log.lines()).hasSize(2).allMatch(line -> line.contains("threw at a decision, which stands"));
        assertThat(log.lines().get(0)).contains("\"api\"");
    }
}
