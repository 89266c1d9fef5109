package io.weir.quota;

import static io.weir.quota.IdempotencyKey.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Spends that leave together: made to gather behind one that is on its way, on a link that counts round trips. */
@Timeout(120)
class CombiningTest {

    private static final Quota TOKENS = Quota.named("tokens")
            .cap(1_000)
            .period(Period.month(ZoneId.of("UTC")))
            .build();

    private final ExecutorService callers = Executors.newCachedThreadPool();
    private Link link;
    private HikariDataSource far;
    private HikariDataSource near;
    private QuotaLedger ledger;

    @BeforeEach
    void open() throws Exception {
        String url = TestDatabase.emptyPostgres();
        int port = TestDatabase.postgres().getPort();
        link = new Link(port);
        far = TestDatabase.pool(url.replace(":" + port + "/", ":" + link.port() + "/"), 1);
        near = TestDatabase.pool(url, 4);
        ledger = ledger(Duration.ofSeconds(20));
    }

    /** One worker: so there is one lane, and no other thread to go first. */
    private QuotaLedger ledger(Duration deadline) {
        return QuotaLedger.over(far).deadline(deadline).workers(1).build();
    }

    @AfterEach
    void everyBalanceFollowsFromTheHistory() throws Exception {
        try {
            link.release();
            assertThat(onThisSide(QuotaLedger::verify)).isEmpty();
        } finally {
            callers.shutdownNow();
            ledger.close();
            link.close();
            far.close();
            near.close();
        }
    }

    private <T> T onThisSide(java.util.function.Function<QuotaLedger, T> work) {
        try (QuotaLedger other =
                QuotaLedger.over(near).deadline(Duration.ofSeconds(20)).build()) {
            return work.apply(other);
        }
    }

    private static Charge charge(String key, long amount) {
        return new Charge(TOKENS, key, amount);
    }

    private static void until(BooleanSupplier holds) {
        Instant end = Instant.now().plusSeconds(30);
        while (!holds.getAsBoolean()) {
            assertThat(Instant.now()).isBefore(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
    }

    /** Has all of them asked while another spend is on its way; and then lets the answers through, unless they are to be held. */
    private List<Future<QuotaDecision>> gathered(QuotaLedger by, List<Callable<QuotaDecision>> calls) {
        by.spend(fresh(), charge("first", 1));
        by.spend(fresh(), charge("first", 1)); // known to be plain
        int before = link.roundTrips();
        link.hold();
        List<Future<QuotaDecision>> all = new ArrayList<>();
        all.add(callers.submit(() -> by.spend(fresh(), charge("first", 1))));
        until(() -> link.roundTrips() > before);
        List<Thread> threads = new CopyOnWriteArrayList<>();
        for (Callable<QuotaDecision> each : calls) {
            all.add(callers.submit(() -> {
                threads.add(Thread.currentThread());
                return each.call();
            }));
            until(() -> threads.size() == all.size() - 1
                    && threads.get(threads.size() - 1).getState() == Thread.State.TIMED_WAITING);
        }
        return all;
    }

    private static List<QuotaDecision> answers(List<Future<QuotaDecision>> futures) throws Exception {
        List<QuotaDecision> answers = new ArrayList<>();
        for (Future<QuotaDecision> each : futures.subList(1, futures.size())) {
            answers.add(each.get());
        }
        return answers;
    }

    private Callable<QuotaDecision> spend(String id, String key, long amount) {
        return () -> ledger.spend(IdempotencyKey.of(id), charge(key, amount));
    }

    private void known(String... keys) {
        for (String each : keys) {
            ledger.spend(fresh(), charge(each, 1));
        }
    }

    private long spent(String key) {
        return onThisSide(each -> each.peek(TOKENS, key).spent());
    }

    @Test
    void takesOneRoundTripForAllThatGathered() throws Exception {
        List<Callable<QuotaDecision>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            known("k" + i);
            calls.add(spend("of k" + i, "k" + i, 2));
        }
        known("one");
        for (int i = 1; i <= 10; i++) {
            calls.add(spend("of one " + i, "one", i));
        }
        List<Future<QuotaDecision>> futures = gathered(ledger, calls);
        int before = link.roundTrips();
        link.release();
        List<QuotaDecision> decisions = answers(futures);
        assertThat(link.roundTrips() - before).isEqualTo(1);
        assertThat(decisions).allMatch(each -> each.isGranted() && !each.isReplay());
        long total = 1;
        for (int i = 1; i <= 10; i++) {
            total += i;
            assertThat(decisions.get(19 + i).balances().get(0).spent()).isEqualTo(total);
            QuotaDecision replay = ledger.spend(IdempotencyKey.of("of one " + i), charge("one", i));
            assertThat(replay.isReplay()).isTrue();
            assertThat(replay.balances()).isEqualTo(decisions.get(19 + i).balances());
        }
        assertThat(spent("one")).isEqualTo(56);
        assertThat(spent("k7")).isEqualTo(3);
        ledger.refund(fresh(), IdempotencyKey.of("of k7"), List.of(charge("k7", 2)));
        assertThat(spent("k7")).isEqualTo(1);
        assertThat(TestDatabase.number(
                        near,
                        "SELECT count(*) FROM (SELECT id, lag(id) OVER (ORDER BY amount) AS before FROM ("
                                + "SELECT id, spent AS amount FROM weir_quota_ledger WHERE idempotency_key LIKE 'of one %')"
                                + " AS l) AS m WHERE before > id"))
                .as("history out of order")
                .isZero();
    }

    @Test
    void holdsUpNobodyElseForAnAccountThatSomebodyHas() throws Exception {
        known("a", "b", "taken");
        try (Connection other = near.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.executeQuery("SELECT 1 FROM weir_quota_account WHERE holder = 'taken' FOR UPDATE");
            List<Future<QuotaDecision>> futures = gathered(
                    ledger,
                    List.of(
                            spend("1", "a", 1),
                            spend("2", "taken", 1),
                            spend("3", "b", 1),
                            spend("4", "taken", 2),
                            spend("5", "a", 1)));
            link.release();
            for (int each : List.of(1, 3, 5)) {
                assertThat(futures.get(each).get(10, TimeUnit.SECONDS).isGranted())
                        .isTrue();
            }
            assertThat(futures.get(2).isDone() || futures.get(4).isDone()).isFalse();
            other.commit();
            assertThat(answers(futures)).allMatch(QuotaDecision::isGranted);
        }
        assertThat(spent("taken")).isEqualTo(4);
        assertThat(spent("a")).isEqualTo(3);
    }

    @Test
    void grantsExactlyWhatThereIsRoomForWhereNotAllOfThemFit() throws Exception {
        ledger.spend(fresh(), charge("a", 990));
        known("b");
        List<Callable<QuotaDecision>> calls = new ArrayList<>(
                Collections.nCopies(8, () -> ledger.spend(fresh(), charge("a", 3)))); // three of eight fit
        calls.add(spend("b", "b", 5));
        List<Future<QuotaDecision>> futures = gathered(ledger, calls);
        link.release();
        List<QuotaDecision> decisions = answers(futures);
        assertThat(decisions.subList(0, 8)).filteredOn(QuotaDecision::isGranted).hasSize(3);
        assertThat(decisions.get(8).isGranted()).isTrue();
        assertThat(spent("a")).isEqualTo(999);
    }

    @Test
    void movesOnceForCopiesOfOneRequestThatLeaveTogether() throws Exception {
        known("a", "b");
        List<Callable<QuotaDecision>> calls = new ArrayList<>(Collections.nCopies(5, spend("same", "a", 3)));
        calls.add(spend("other", "b", 1));
        List<Future<QuotaDecision>> futures = gathered(ledger, calls);
        int before = link.roundTrips();
        link.release();
        List<QuotaDecision> decisions = answers(futures);
        assertThat(link.roundTrips() - before)
                .as("one for all, and two for each copy")
                .isEqualTo(1 + 4 * 2);
        assertThat(decisions).allMatch(QuotaDecision::isGranted);
        assertThat(decisions).filteredOn(QuotaDecision::isReplay).hasSize(4);
        assertThat(spent("a")).isEqualTo(4);
    }

    @Test
    void findsAKeyThatAnotherNodeHasUsed() throws Exception {
        known("a", "b");
        onThisSide(other -> other.spend(IdempotencyKey.of("used"), charge("a", 7)));
        List<Future<QuotaDecision>> futures =
                gathered(ledger, List.of(spend("used", "a", 7), spend("new", "a", 1), spend("b", "b", 1)));
        int before = link.roundTrips();
        link.release();
        List<QuotaDecision> decisions = answers(futures);
        assertThat(link.roundTrips() - before)
                .as("one for all, and two for each of that account")
                .isEqualTo(1 + 2 * 2);
        assertThat(decisions).extracting(QuotaDecision::isReplay).containsExactly(true, false, false);
        assertThat(decisions).allMatch(QuotaDecision::isGranted);
        assertThat(spent("a")).isEqualTo(9);
        assertThat(spent("b")).isEqualTo(2);
    }

    @Test
    void decidesEachOfThemWhereTheirStatementFails() throws Exception {
        known("a", "b", "bad");
        execute("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$");
        execute("CREATE TRIGGER refuse BEFORE INSERT ON weir_quota_ledger FOR EACH ROW"
                + " WHEN (NEW.holder = 'bad') EXECUTE FUNCTION refuse()");
        try {
            List<Future<QuotaDecision>> futures =
                    gathered(ledger, List.of(spend("1", "a", 1), spend("2", "bad", 1), spend("3", "b", 1)));
            link.release();
            List<QuotaDecision> decisions = answers(futures);
            assertThat(decisions).extracting(QuotaDecision::isGranted).containsExactly(true, false, true);
            assertThat(decisions.get(1).source()).isEqualTo(QuotaDecision.Source.POLICY);
        } finally {
            execute("DROP FUNCTION refuse() CASCADE");
        }
        assertThat(spent("a")).isEqualTo(2);
        assertThat(spent("bad")).isEqualTo(1);
        assertThat(spent("b")).isEqualTo(2);
    }

    @Test
    void startsAgainWithAnAccountThatIsGone() throws Exception {
        known("a", "b");
        execute("DELETE FROM weir_quota_account WHERE holder IN ('a', 'b')");
        List<Future<QuotaDecision>> futures =
                gathered(ledger, List.of(spend("1", "a", 1), spend("2", "b", 1), spend("3", "b", 1)));
        link.release();
        assertThat(answers(futures)).allMatch(QuotaDecision::isGranted);
        assertThat(spent("b")).isEqualTo(3);
    }

    @Test
    void goesOnWithAnotherConnectionWhereOneIsBroken() throws Exception {
        known("a");
        assertThat(ledger.spend(fresh(), charge("a", 1)).isGranted()).isTrue();
        execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                + " AND datname = current_database() AND query LIKE '%weir_quota%'");
        QuotaDecision decision = ledger.spend(fresh(), charge("a", 1));
        assertThat(decision.source()).isEqualTo(QuotaDecision.Source.LEDGER);
        assertThat(decision.isGranted()).isTrue();
        assertThat(spent("a")).isEqualTo(3);
    }

    @Test
    void takesBackThoseWhoseCallersLeftWhileTheyWereWritten() throws Exception {
        try (QuotaLedger hasty = ledger(Duration.ofSeconds(2))) {
            hasty.spend(fresh(), charge("a", 1));
            hasty.spend(fresh(), charge("b", 1));
            List<Future<QuotaDecision>> futures = gathered(
                    hasty,
                    List.of(
                            () -> hasty.spend(IdempotencyKey.of("1"), charge("a", 5)),
                            () -> hasty.spend(IdempotencyKey.of("2"), charge("b", 6))));
            int before = link.roundTrips();
            link.releaseUntil("weir_quota");
            until(() -> link.roundTrips() > before);
            for (QuotaDecision each : answers(futures)) {
                assertThat(each.source()).isEqualTo(QuotaDecision.Source.POLICY);
            }
            assertThat(spent("a") + spent("b")).isEqualTo(13);
            link.release();
            until(() -> TestDatabase.number(near, "SELECT count(*) FROM weir_quota_ledger WHERE kind = 'UNDO'") == 2);
            assertThat(spent("a")).isEqualTo(1);
            assertThat(spent("b")).isEqualTo(1);
        }
    }

    @Test
    void doesNothingThatArrivesAfterItWasTakenBack() throws Exception {
        try (QuotaLedger hasty = ledger(Duration.ofSeconds(2))) {
            hasty.spend(fresh(), charge("a", 1));
            hasty.spend(fresh(), charge("a", 1));
            link.holdRequests();
            QuotaDecision told = hasty.spend(IdempotencyKey.of("late"), charge("a", 100));
            assertThat(told.source()).isEqualTo(QuotaDecision.Source.POLICY);
            assertThat(link.isRequestOnTheWay()).isTrue();
            // By another way, as the link of the first is still held up.
            Step undo = Step.of(Step.Kind.SPEND, IdempotencyKey.of("late"), List.of(charge("a", 100)))
                    .undo();
            new Transactions(near, null, Duration.ofSeconds(20)).decide(undo, new Gate());
            link.release();
            assertThat(hasty.peek(TOKENS, "a").spent())
                    .as("by the same worker, behind it")
                    .isEqualTo(2);
            assertThat(TestDatabase.number(
                            near, "SELECT count(*) FROM weir_quota_ledger WHERE idempotency_key = 'late'"))
                    .isZero();
            QuotaDecision again = hasty.spend(IdempotencyKey.of("late"), charge("a", 100));
            assertThat(again.isGranted() && !again.isReplay()).isTrue();
            assertThat(hasty.spend(IdempotencyKey.of("late"), charge("a", 100)).isReplay())
                    .isTrue();
            assertThat(spent("a")).isEqualTo(102);
        }
    }

    @Test
    void writesNothingForOneWhoLeftBeforeThereWasAConnection() throws Exception {
        try (QuotaLedger hasty = ledger(Duration.ofSeconds(2))) {
            hasty.spend(fresh(), charge("a", 1));
            try (Connection busy = far.getConnection()) {
                assertThat(busy.isClosed()).isFalse();
                assertThat(hasty.spend(fresh(), charge("a", 1)).source()).isEqualTo(QuotaDecision.Source.POLICY);
            }
            assertThat(hasty.spend(fresh(), charge("a", 1)).isGranted()).isTrue(); // behind it
            assertThat(TestDatabase.number(near, "SELECT count(*) FROM weir_quota_ledger"))
                    .isEqualTo(2);
        }
    }

    @Test
    void leavesNobodyWaitingInTheDatabase() throws Exception {
        try (QuotaLedger hasty = ledger(Duration.ofSeconds(1));
                Connection other = near.getConnection();
                Statement statement = other.createStatement()) {
            hasty.spend(fresh(), charge("a", 1));
            other.setAutoCommit(false);
            statement.executeQuery("SELECT 1 FROM weir_quota_account FOR UPDATE");
            assertThat(hasty.spend(fresh(), charge("a", 1)).source()).isEqualTo(QuotaDecision.Source.POLICY);
            until(() -> TestDatabase.number(near, "SELECT count(*) FROM pg_locks WHERE NOT granted") == 0);
            other.rollback();
            assertThat(far.getHikariPoolMXBean().getTotalConnections()).isEqualTo(1);
            try (Connection connection = far.getConnection()) {
                assertThat(TestDatabase.number(
                                connection, "SELECT setting FROM pg_settings WHERE name = 'lock_timeout'"))
                        .isZero();
            }
        }
    }

    @Test
    void takesCreditThatCameBackWhenItsReservationExpired() {
        SettableClock clock = new SettableClock(Instant.parse("2027-01-05T00:00:00Z"));
        try (QuotaLedger timed = QuotaLedger.over(far)
                .deadline(Duration.ofSeconds(20))
                .clock(clock)
                .build()) {
            timed.grantCredit(fresh(), charge("a", 100), Instant.parse("2027-01-20T00:00:00Z"));
            timed.reserve(fresh(), Duration.ofMinutes(1), charge("a", 100));
            timed.spend(fresh(), charge("a", 1));
            clock.set(Instant.parse("2027-01-05T00:02:00Z"));
            Balance after = timed.spend(fresh(), charge("a", 10)).balances().get(0);
            assertThat(after.credit()).isEqualTo(90);
            assertThat(after.spent()).isEqualTo(1);
        }
    }

    /** Many threads, few keys, some of them too small for all; ids that come twice; and another node. */
    @Test
    void staysExactInARandomCrowd() throws Exception {
        long seed = Long.getLong("weir.seed", System.nanoTime());
        System.out.println("-Dweir.seed=" + seed);
        HikariDataSource wide = TestDatabase.pool(near.getJdbcUrl(), 8);
        AtomicLong granted = new AtomicLong();
        try (wide;
                QuotaLedger one = QuotaLedger.over(wide)
                        .workers(4)
                        .deadline(Duration.ofSeconds(60))
                        .build();
                QuotaLedger two = QuotaLedger.over(wide)
                        .workers(4)
                        .deadline(Duration.ofSeconds(60))
                        .build()) {
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < 16; thread++) {
                Random random = new Random(seed + thread);
                all.add(callers.submit(() -> {
                    for (int i = 0; i < 150; i++) {
                        Charge charge = charge("k" + random.nextInt(5), 1 + random.nextInt(5));
                        IdempotencyKey id = random.nextInt(4) == 0
                                ? IdempotencyKey.of(charge.amount() + " " + random.nextInt(40))
                                : fresh();
                        QuotaDecision decision = (random.nextInt(4) == 0 ? two : one).spend(id, charge);
                        assertThat(decision.source()).isNotEqualTo(QuotaDecision.Source.POLICY);
                        if (decision.isGranted() && !decision.isReplay()) {
                            granted.addAndGet(charge.amount());
                        }
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
        assertThat(TestDatabase.number(near, "SELECT sum(spent) FROM weir_quota_period"))
                .isEqualTo(granted.get());
        assertThat(TestDatabase.number(near, "SELECT max(spent) FROM weir_quota_period"))
                .as("they got to the cap")
                .isBetween(996L, 1_000L);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = near.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
