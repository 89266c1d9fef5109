package io.weir.quota;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** PostgreSQL is stopped under load, and started again. */
@Timeout(120)
class RestartTest {

    private static final Duration DEADLINE = Duration.ofMillis(300);

    /** What a busy machine may add to a deadline. */
    private static final Duration SLACK = Duration.ofMillis(700);

    private static final int THREADS = 8;
    private static final Quota QUOTA = Quota.named("tokens")
            .cap(1_000_000)
            .period(Period.year(ZoneId.of("UTC"), java.time.MonthDay.of(1, 1)))
            .build();

    private record Told(String key, QuotaDecision decision) {}

    private static EmbeddedPostgres server(Path data, int port) throws IOException {
        return EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setPort(port)
                .start();
    }

    @Test
    void callersAreAnsweredByTheDeadlineAndTotalsAreExactAfterwards(@TempDir Path directory) throws Exception {
        Path data = directory.resolve("data");
        EmbeddedPostgres server = server(data, 0);
        try {
            String url = server.getJdbcUrl("postgres", "postgres");
            TestDatabase.migrate(url, "postgresql");
            try (HikariDataSource pool = TestDatabase.pool(url, THREADS);
                    QuotaLedger ledger = QuotaLedger.over(pool)
                            .workers(THREADS)
                            .deadline(DEADLINE)
                            .build()) {
                int port = server.getPort();
                Load load = new Load(ledger);
                await(() -> load.granted.get() > 500);
                server.close();
                await(() -> load.byPolicy.get() > 50);
                server = server(data, port);
                long before = load.granted.get();
                await(() -> load.granted.get() > before + 500);
                load.end();

                assertThat(load.longestNanos.get())
                        .isLessThan(DEADLINE.plus(SLACK).toNanos());
                assertThat(load.told)
                        .allSatisfy(
                                told -> assertThat(told.decision().source()).isNotEqualTo(QuotaDecision.Source.MEMORY));
                settles(ledger, load.told);
            }
        } finally {
            server.close();
        }
    }

    /** Everybody asks again who was told no by the policy, under the same key, as clients do; and then each key has spent once. */
    private static void settles(QuotaLedger ledger, Iterable<Told> told) {
        long spends = 0;
        for (Told each : told) {
            Charge charge = new Charge(QUOTA, "ann", 2);
            QuotaDecision again = ledger.spend(IdempotencyKey.of(each.key()), charge);
            while (again.source() == QuotaDecision.Source.POLICY) {
                again = ledger.spend(IdempotencyKey.of(each.key()), charge);
            }
            assertThat(again.isGranted()).isTrue();
            if (each.decision().isGranted()) {
                assertThat(again.isReplay()).as(each.key()).isTrue();
            }
            spends++;
        }
        long expected = 2 * spends;
        await(() -> ledger.peek(QUOTA, "ann").spent() == expected);
        assertThat(ledger.verify()).isEmpty();
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(Condition condition) {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.holds()) {
            assertThat(System.nanoTime() - giveUp).as("waited for a minute").isNegative();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    /** Threads that spend, each under a key of its own, and how they are answered. */
    private static final class Load {
        private final ConcurrentLinkedQueue<Told> told = new ConcurrentLinkedQueue<>();
        private final AtomicInteger granted = new AtomicInteger();
        private final AtomicInteger byPolicy = new AtomicInteger();
        private final AtomicLong longestNanos = new AtomicLong();
        private final AtomicBoolean ends = new AtomicBoolean();
        private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        private final List<Future<?>> running = new ArrayList<>();

        Load(QuotaLedger ledger) {
            AtomicInteger next = new AtomicInteger();
            for (int i = 0; i < THREADS; i++) {
                running.add(threads.submit(() -> {
                    while (!ends.get()) {
                        spend(ledger, "k" + next.getAndIncrement());
                    }
                }));
            }
        }

        private void spend(QuotaLedger ledger, String key) {
            long from = System.nanoTime();
            QuotaDecision decision = ledger.spend(IdempotencyKey.of(key), new Charge(QUOTA, "ann", 2));
            long took = System.nanoTime() - from;
            longestNanos.accumulateAndGet(took, Math::max);
            told.add(new Told(key, decision));
            if (decision.source() == QuotaDecision.Source.POLICY) {
                assertThat(decision.isGranted()).isFalse();
                byPolicy.incrementAndGet();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20)); // as whoever was told no comes back later
            } else {
                granted.incrementAndGet();
            }
        }

        void end() throws Exception {
            ends.set(true);
            for (Future<?> each : running) {
                each.get();
            }
            threads.shutdown();
        }
    }
}
