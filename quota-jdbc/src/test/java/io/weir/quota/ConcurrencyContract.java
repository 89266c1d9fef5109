package io.weir.quota;

import static io.weir.quota.IdempotencyKey.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What holds when many ask at the same moment, by the database's own time. */
abstract class ConcurrencyContract {

    private static final Quota QUOTA = quota("tokens", 10);

    HikariDataSource pool;
    QuotaLedger ledger;

    abstract String newDatabase();

    /** How often the database itself had to break a deadlock so far. */
    abstract long deadlocks() throws Exception;

    static Quota quota(String name, long cap) {
        return Quota.named(name)
                .cap(cap)
                .period(Period.year(ZoneId.of("UTC"), java.time.MonthDay.of(1, 1)))
                .build();
    }

    @BeforeEach
    void open() {
        pool = TestDatabase.pool(newDatabase(), 16);
        ledger = QuotaLedger.over(pool).deadline(Duration.ofMinutes(2)).build();
    }

    @AfterEach
    void everyBalanceFollowsFromTheHistory() throws Exception {
        try {
            assertThat(ledger.verify()).isEmpty();
            assertThat(deadlocks()).isZero();
        } finally {
            ledger.close();
            pool.close();
        }
    }

    private static <T> List<T> atOnce(int threads, List<Callable<T>> calls) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            CyclicBarrier start = new CyclicBarrier(threads);
            List<Future<T>> futures = new ArrayList<>();
            for (Callable<T> each : calls) {
                futures.add(executor.submit(() -> {
                    start.await();
                    return each.call();
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> each : futures) {
                results.add(each.get());
            }
            return results;
        } finally {
            executor.shutdownNow();
        }
    }

    private long grantedOf(List<QuotaDecision> decisions) {
        assertThat(decisions).allMatch(each -> each.source() != QuotaDecision.Source.POLICY);
        return decisions.stream().filter(QuotaDecision::isGranted).count();
    }

    @Test
    void answersAHundredFirstUsesOfAHundredKeys() throws Exception {
        List<Callable<QuotaDecision>> calls = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Charge charge = new Charge(QUOTA, "key" + i, 10);
            calls.add(() -> ledger.spend(fresh(), charge));
        }
        assertThat(grantedOf(atOnce(100, calls))).isEqualTo(100);
    }

    @Test
    void answersAHundredFirstUsesOfOneKeyWithTenUnits() throws Exception {
        List<Callable<QuotaDecision>> calls =
                Collections.nCopies(100, () -> ledger.spend(fresh(), new Charge(QUOTA, "one", 1)));
        assertThat(grantedOf(atOnce(100, calls))).isEqualTo(10);
        assertThat(ledger.peek(QUOTA, "one").spent()).isEqualTo(10);
    }

    @Test
    void movesOnceForAHundredCopiesOfOneRequest() throws Exception {
        List<Callable<QuotaDecision>> calls =
                Collections.nCopies(100, () -> ledger.spend(IdempotencyKey.of("same"), new Charge(QUOTA, "one", 7)));
        List<QuotaDecision> decisions = atOnce(100, calls);
        assertThat(grantedOf(decisions)).isEqualTo(100);
        assertThat(decisions).filteredOn(each -> !each.isReplay()).hasSize(1);
        assertThat(ledger.peek(QUOTA, "one").spent()).isEqualTo(7);
    }

    /** A thousand times: two spends, and room for one; of new keys and of keys that have spent before. */
    @Test
    void grantsOneOfTwoWhereThereIsRoomForOne() throws Exception {
        for (int i = 0; i < 1_000; i += 2) {
            ledger.spend(fresh(), new Charge(QUOTA, "k" + i, 1));
        }
        List<Callable<Integer>> two = new ArrayList<>();
        CyclicBarrier round = new CyclicBarrier(2);
        int[][] granted = new int[2][1_000];
        for (int thread = 0; thread < 2; thread++) {
            int mine = thread;
            two.add(() -> {
                int sum = 0;
                for (int i = 0; i < 1_000; i++) {
                    round.await();
                    granted[mine][i] =
                            ledger.spend(fresh(), new Charge(QUOTA, "k" + i, 6)).isGranted() ? 1 : 0;
                    sum += granted[mine][i];
                }
                return sum;
            });
        }
        List<Integer> sums = atOnce(2, two);
        for (int i = 0; i < 1_000; i++) {
            assertThat(granted[0][i] + granted[1][i]).as("round %d", i).isEqualTo(1);
        }
        assertThat(sums).as("they collided: neither thread always came first").allMatch(each -> each > 0);
        assertThat(TestDatabase.number(pool, "SELECT count(*) FROM weir_quota_period WHERE spent IN (6, 7)"))
                .isEqualTo(1_000);
    }

    /** Of five quotas, in any order: the order of the locks is the same. */
    @Test
    void meetsNoDeadlockInStepsOfSeveralQuotas() throws Exception {
        List<Quota> quotas = new ArrayList<>();
        for (String each : List.of("a", "b", "c", "d", "e")) {
            quotas.add(quota(each, 1_000_000));
        }
        long seed = Long.getLong("weir.quota.seed", System.nanoTime());
        System.out.println("-Dweir.quota.seed=" + seed);
        List<Callable<Long>> calls = new ArrayList<>();
        for (int thread = 0; thread < 16; thread++) {
            Random random = new Random(seed + thread);
            calls.add(() -> {
                long sum = 0;
                for (int i = 0; i < 25; i++) {
                    List<Quota> some = new ArrayList<>(quotas);
                    Collections.shuffle(some, random);
                    List<Charge> charges = some.subList(0, 1 + random.nextInt(5)).stream()
                            .map(each -> new Charge(each, "k" + random.nextInt(2), 1))
                            .toList();
                    if (random.nextBoolean()) {
                        assertThat(ledger.spend(fresh(), charges).isGranted()).isTrue();
                    } else {
                        QuotaDecision reserved = ledger.reserve(fresh(), Duration.ofMinutes(5), charges);
                        ledger.settle(reserved.reservation().orElseThrow(), 1);
                    }
                    sum += charges.size();
                }
                return sum;
            });
        }
        long sum = atOnce(16, calls).stream().mapToLong(Long::longValue).sum();
        assertThat(TestDatabase.number(pool, "SELECT sum(spent) FROM weir_quota_period"))
                .isEqualTo(sum);
    }

    /** Each of two connections in a transaction that only sees what was there when it began. */
    @Test
    void tellsTheCallersTransactionToBeRetriedWhereItWouldBeWrong() throws Exception {
        ledger.spend(fresh(), new Charge(QUOTA, "k", 4));
        try (var connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(java.sql.Connection.TRANSACTION_REPEATABLE_READ);
            try (var statement = connection.createStatement()) {
                statement.executeQuery("SELECT spent FROM weir_quota_period").next();
            }
            ledger.spend(fresh(), new Charge(QUOTA, "k", 4));
            try {
                QuotaDecision decision = ledger.on(connection).spend(fresh(), new Charge(QUOTA, "k", 4));
                connection.commit();
                assertThat(decision.isGranted()).as("8 of 10 are spent").isFalse();
            } catch (RetryableQuotaException e) {
                connection.rollback();
            }
        }
        assertThat(ledger.peek(QUOTA, "k").spent()).isEqualTo(8);
    }
}
