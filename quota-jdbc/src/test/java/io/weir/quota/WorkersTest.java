package io.weir.quota;

import static io.weir.quota.IdempotencyKey.fresh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whose threads work and wait. */
class WorkersTest {

    private static final Quota QUOTA =
            Quota.named("q").cap(10_000).period(Period.day(ZoneId.of("UTC"))).build();
    private static final Charge ONE = new Charge(QUOTA, "ann", 1);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HikariDataSource pool;

    @BeforeEach
    void open() {
        pool = TestDatabase.pool(TestDatabase.newH2(), 2);
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        pool.close();
    }

    private QuotaLedger ledger(Duration deadline, int workers) {
        return QuotaLedger.over(pool).deadline(deadline).workers(workers).build();
    }

    @Test
    void asyncWaitsOnThreadsOfTheCallers() throws Exception {
        try (QuotaLedger ledger = ledger(Duration.ofSeconds(20), 1)) {
            ExecutorService one = Executors.newSingleThreadExecutor(work -> new Thread(work, "mine"));
            AtomicReference<String> thread = new AtomicReference<>();
            QuotaDecision decision = ledger.async(one, quotas -> {
                        thread.set(Thread.currentThread().getName());
                        return quotas.spend(fresh(), ONE);
                    })
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS);
            assertThat(decision.isGranted()).isTrue();
            assertThat(thread.get()).isEqualTo("mine");
            CompletableFuture<QuotaDecision> unknown = ledger.async(
                            one, quotas -> quotas.release(new Reservation(fresh(), List.of(ONE))))
                    .toCompletableFuture();
            assertThatThrownBy(unknown::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(UnknownOperationException.class);
            one.shutdown();
        }
    }

    @Test
    void asyncThatIsCancelledBeforeItBeginsMovesNothing() throws Exception {
        try (QuotaLedger ledger = ledger(Duration.ofSeconds(20), 1)) {
            ExecutorService one = Executors.newSingleThreadExecutor();
            CountDownLatch busy = new CountDownLatch(1);
            one.execute(() -> {
                try {
                    busy.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            CompletableFuture<QuotaDecision> cancelled =
                    ledger.async(one, quotas -> quotas.spend(fresh(), ONE)).toCompletableFuture();
            assertThat(cancelled.cancel(true)).isTrue();
            busy.countDown();
            one.shutdown();
            assertThat(one.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
            assertThat(ledger.peek(QUOTA, "ann").spent()).isZero();
        }
    }

    @Test
    void aFullQueueIsAnsweredByThePolicyAtOnce() throws Exception {
        Duration deadline = Duration.ofSeconds(30);
        List<CompletableFuture<QuotaDecision>> waiting = new ArrayList<>();
        try (QuotaLedger ledger = ledger(deadline, 1)) {
            try (Connection first = pool.getConnection();
                    Connection second = pool.getConnection()) {
                assertThat(first).isNotSameAs(second); // the pool is empty: the only worker waits for one of these
                for (int i = 0; i < 1 + 1_024; i++) {
                    waiting.add(CompletableFuture.supplyAsync(() -> ledger.spend(fresh(), ONE), threads));
                }
                long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
                QuotaDecision refused;
                do { // until all of them have come to the queue
                    assertThat(System.nanoTime()).isLessThan(end);
                    CompletableFuture<QuotaDecision> next =
                            CompletableFuture.supplyAsync(() -> ledger.spend(fresh(), ONE), threads);
                    waiting.add(next);
                    try {
                        refused = next.get(100, TimeUnit.MILLISECONDS);
                    } catch (TimeoutException e) {
                        refused = null;
                    }
                } while (refused == null);
                assertThat(refused.source()).isEqualTo(QuotaDecision.Source.POLICY);
                long from = System.nanoTime();
                for (int i = 0; i < 100; i++) {
                    assertThat(ledger.spend(fresh(), ONE).source()).isEqualTo(QuotaDecision.Source.POLICY);
                }
                assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(deadline.dividedBy(10));
            }
            long granted = 0;
            for (CompletableFuture<QuotaDecision> each : waiting) {
                granted += each.get().isGranted() ? 1 : 0;
            }
            assertThat(granted).as("what waited is done").isBetween(1L, 1L + 1_024);
            assertThat(ledger.peek(QUOTA, "ann").spent()).isEqualTo(granted);
        }
    }
}
