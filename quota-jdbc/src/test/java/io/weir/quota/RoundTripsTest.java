package io.weir.quota;

import static io.weir.quota.IdempotencyKey.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Round trips to a real PostgreSQL, counted on the link to it; and a link that fails. */
class RoundTripsTest {

    private static final Quota TOKENS = Quota.named("tokens")
            .cap(1_000)
            .period(Period.month(ZoneId.of("UTC")))
            .build();
    private static final Quota TEAM =
            Quota.named("team").cap(1_000).period(Period.day(ZoneId.of("UTC"))).build();

    private Link link;
    private HikariDataSource pool;
    private QuotaLedger ledger;

    @BeforeEach
    void open() throws Exception {
        String url = TestDatabase.emptyPostgres();
        link = new Link(TestDatabase.postgres().getPort());
        pool = TestDatabase.pool(
                url.replace(":" + TestDatabase.postgres().getPort() + "/", ":" + link.port() + "/"), 1);
        ledger = QuotaLedger.over(pool).deadline(Duration.ofSeconds(20)).build();
        ledger.peek(TOKENS, "warm");
    }

    @AfterEach
    void close() throws Exception {
        ledger.close();
        link.close();
        pool.close();
    }

    private int tripsOf(Runnable step) {
        int before = link.roundTrips();
        step.run();
        return link.roundTrips() - before;
    }

    @Test
    void takesTwoForAnyStepAndNoneForARepeatedRejection() {
        Charge one = new Charge(TOKENS, "ann", 1);
        List<Charge> three = List.of(one, new Charge(TEAM, "blue", 1), new Charge(TEAM, "red", 1));
        for (int i = 0; i < 12; i++) { // past the fifth, from which on the driver prepares by name
            String k = "k" + i;
            assertThat(tripsOf(() -> ledger.spend(IdempotencyKey.of(k), one)))
                    .as("spend %d", i)
                    .isEqualTo(2);
            assertThat(tripsOf(() -> ledger.spend(IdempotencyKey.of(k), one)))
                    .as("first replay")
                    .isEqualTo(2);
            assertThat(tripsOf(() -> ledger.spend(IdempotencyKey.of(k), one)))
                    .as("replay")
                    .isEqualTo(2);
            assertThat(tripsOf(() -> ledger.spend(fresh(), three)))
                    .as("three quotas")
                    .isEqualTo(2);
            assertThat(tripsOf(() -> ledger.spend(fresh(), new Charge(TOKENS, "new" + k, 1))))
                    .isEqualTo(2);
            Reservation[] reservation = new Reservation[1];
            assertThat(tripsOf(() -> reservation[0] = ledger.reserve(fresh(), Duration.ofMinutes(1), three)
                            .reservation()
                            .orElseThrow()))
                    .as("reserve")
                    .isEqualTo(2);
            assertThat(tripsOf(() -> ledger.settle(reservation[0], 2)))
                    .as("settle")
                    .isEqualTo(2);
            assertThat(tripsOf(() -> ledger.peek(TOKENS, "ann"))).as("peek").isLessThanOrEqualTo(2);
        }
        Charge tooMuch = new Charge(TOKENS, "ann", 999);
        assertThat(tripsOf(() -> ledger.spend(fresh(), tooMuch)))
                .as("first rejection")
                .isEqualTo(2);
        QuotaDecision denied = ledger.spend(fresh(), tooMuch);
        assertThat(denied.isGranted()).isFalse();
        assertThat(denied.source()).isEqualTo(QuotaDecision.Source.MEMORY);
        // None but those of the thread that reads, every quarter of a second, whether what is remembered still holds.
        long from = System.nanoTime();
        int trips = tripsOf(() -> {
            for (int i = 0; i < 1_000; i++) {
                ledger.spend(fresh(), tooMuch);
            }
        });
        assertThat(trips)
                .isLessThanOrEqualTo(4
                        + (int) (4 * Duration.ofNanos(System.nanoTime() - from).toMillis() / 250));
    }

    @Test
    void takesOneForASpendThatFindsNothingOutOfTheOrdinary() {
        Charge one = new Charge(TOKENS, "bob", 1);
        assertThat(tripsOf(() -> ledger.spend(fresh(), one))).as("first").isEqualTo(2);
        for (int i = 2; i <= 20; i++) {
            String k = "k" + i;
            long spent = i;
            assertThat(tripsOf(() -> {
                        QuotaDecision decision = ledger.spend(IdempotencyKey.of(k), one);
                        assertThat(decision.isReplay()).isFalse();
                        assertThat(decision.balances().get(0).spent()).isEqualTo(spent);
                    }))
                    .isEqualTo(1);
        }
        assertThat(tripsOf(() -> {
                    QuotaDecision replay = ledger.spend(IdempotencyKey.of("k7"), one);
                    assertThat(replay.isReplay()).isTrue();
                    assertThat(replay.balances().get(0).spent()).isEqualTo(7);
                }))
                .as("replay")
                .isEqualTo(2);
        assertThat(ledger.verify()).isEmpty();
    }

    @Test
    void seesWhatAnotherNodeHasMadeOutOfTheOrdinary() {
        try (QuotaLedger other =
                QuotaLedger.over(pool).deadline(Duration.ofSeconds(20)).build()) {
            // Each for a key of its own, and what a spend of 1 finds after it: spent of the period, and whether it is
            // granted.
            assertThat(afterwards(
                                    "credit",
                                    one -> other.grantCredit(
                                            fresh(), one, Instant.now().plusSeconds(600)))
                            .spent())
                    .as("taken from the credit")
                    .isEqualTo(2);
            assertThat(afterwards("aside", one -> other.reserve(fresh(), Duration.ofMinutes(5), one))
                            .reserved())
                    .isEqualTo(1);
            assertThat(afterwards("cap", one -> other.setCap(fresh(), TOKENS, one.key(), 0))
                            .spent())
                    .as("denied")
                    .isEqualTo(2);
            assertThat(afterwards("spend", one -> other.spend(IdempotencyKey.of("of spend"), one))
                            .spent())
                    .as("a replay of the other's")
                    .isEqualTo(3);
            assertThat(ledger.peek(TOKENS, "spend").spent()).isEqualTo(3);
            assertThat(ledger.verify()).isEmpty();
        }
    }

    /** The balance that a plain spend is answered with, once another node has done something to its account. */
    private Balance afterwards(String key, Consumer<Charge> surprise) {
        Charge one = new Charge(TOKENS, key, 1);
        ledger.spend(fresh(), one);
        assertThat(tripsOf(() -> ledger.spend(fresh(), one))).isEqualTo(1);
        surprise.accept(one);
        Balance[] balance = new Balance[1];
        assertThat(tripsOf(() -> balance[0] = ledger.spend(IdempotencyKey.of("of " + key), one)
                        .balances()
                        .get(0)))
                .isEqualTo(3);
        return balance[0];
    }

    @Test
    void takesBackWhatWasCommittedAfterItsCallerWasToldNo() throws Exception {
        try (QuotaLedger hasty =
                QuotaLedger.over(pool).deadline(Duration.ofMillis(600)).build()) {
            Charge ten = new Charge(TOKENS, "ann", 10);
            hasty.peek(TOKENS, "ann");
            link.holdAnswersAfter("COMMIT\0"); // the statement, and not READ COMMITTED
            QuotaDecision told = hasty.spend(IdempotencyKey.of("k"), ten);
            assertThat(told.isGranted()).isFalse();
            assertThat(told.source()).isEqualTo(QuotaDecision.Source.POLICY);
            assertThat(link.isHeld()).as("it was on its way to be committed").isTrue();
            link.release();
            Instant end = Instant.now().plusSeconds(20);
            while (TestDatabase.number(pool, "SELECT count(*) FROM weir_quota_ledger WHERE kind = 'UNDO'") == 0) {
                assertThat(Instant.now()).isBefore(end);
                Thread.sleep(20);
            }
            assertThat(ledger.peek(TOKENS, "ann").spent()).isZero();
            assertThat(ledger.spend(IdempotencyKey.of("k"), ten).isReplay()).isFalse();
            assertThat(ledger.verify()).isEmpty();
        }
    }

    @Test
    void answersByThePolicyWithinTheDeadlineWhileNothingComesBack() {
        Quota open = Quota.named("open")
                .cap(10)
                .period(Period.day(ZoneId.of("UTC")))
                .onFailure(io.weir.FailurePolicy.GRANT)
                .build();
        try (QuotaLedger hasty =
                QuotaLedger.over(pool).deadline(Duration.ofMillis(300)).build()) {
            hasty.peek(TOKENS, "ann");
            link.hold();
            long from = System.nanoTime();
            assertThat(hasty.spend(fresh(), new Charge(TOKENS, "ann", 1)).isGranted())
                    .isFalse();
            assertThat(hasty.spend(fresh(), new Charge(open, "ann", 1)).isGranted())
                    .isTrue();
            assertThat(hasty.spend(fresh(), List.of(new Charge(open, "ann", 1), new Charge(TOKENS, "ann", 1)))
                            .isGranted())
                    .isFalse();
            assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(3));
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> hasty.peek(TOKENS, "ann"))
                    .isInstanceOf(QuotaUnavailableException.class);
            link.release();
        }
    }

    @Test
    void answersWithinOneDeadlineAlsoWhereAKeyHasToBeLookedUpFirst() {
        try (QuotaLedger hasty =
                QuotaLedger.over(pool).deadline(Duration.ofMillis(400)).build()) {
            Charge tooMuch = new Charge(TOKENS, "ann", TOKENS.cap() + 1);
            assertThat(hasty.spend(fresh(), tooMuch).source()).isEqualTo(QuotaDecision.Source.LEDGER);
            link.hold();
            long from = System.nanoTime();

            QuotaDecision answer = hasty.spend(IdempotencyKey.of("not seen before"), tooMuch);

            assertThat(answer.source()).isEqualTo(QuotaDecision.Source.POLICY);
            assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofMillis(750));
            link.release();
        }
    }
}
