package io.weir.quota;

import static io.weir.quota.IdempotencyKey.fresh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.weir.FailurePolicy;
import io.weir.algorithm.Verdict;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.MonthDay;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What each effect does, on every database. */
abstract class QuotaContract {

    static final Instant NOON = Instant.parse("2026-07-15T12:00:00Z");
    static final Duration MINUTE = Duration.ofMinutes(1);
    static final Quota MONTHLY = Quota.named("monthly")
            .cap(100)
            .period(Period.month(ZoneId.of("UTC")))
            .build();
    static final Quota TEAM = Quota.named("team")
            .cap(150)
            .period(Period.day(ZoneId.of("UTC")))
            .debt(20)
            .build();

    final SettableClock clock = new SettableClock(NOON);
    HikariDataSource pool;
    QuotaLedger ledger;

    /** The address of a new, migrated database. */
    abstract String newDatabase();

    @BeforeEach
    void open() {
        pool = TestDatabase.pool(newDatabase(), 8);
        ledger = ledger();
    }

    QuotaLedger ledger() {
        return QuotaLedger.over(pool)
                .clock(clock)
                .deadline(Duration.ofSeconds(30))
                .workers(8)
                .build();
    }

    @AfterEach
    void everyBalanceFollowsFromTheHistory() {
        try {
            assertThat(ledger.verify()).isEmpty();
        } finally {
            ledger.close();
            pool.close();
        }
    }

    static IdempotencyKey key(String text) {
        return IdempotencyKey.of(text);
    }

    static Charge monthly(long amount) {
        return new Charge(MONTHLY, "ann", amount);
    }

    static Charge team(long amount) {
        return new Charge(TEAM, "blue", amount);
    }

    long spent(Quota quota, String key) {
        return ledger.peek(quota, key).spent();
    }

    @Test
    void spendsUpToTheCapAndNotBeyond() {
        QuotaDecision first = ledger.spend(fresh(), monthly(60));
        assertThat(first.isGranted()).isTrue();
        assertThat(first.source()).isEqualTo(QuotaDecision.Source.LEDGER);
        assertThat(first.balances().get(0).remaining()).isEqualTo(40);
        QuotaDecision second = ledger.spend(fresh(), monthly(41));
        assertThat(second.verdict()).isEqualTo(Verdict.DENIED);
        assertThat(second.denied()).containsExactly(monthly(41));
        assertThat(second.resetsAt()).contains(Instant.parse("2026-08-01T00:00:00Z"));
        assertThat(ledger.spend(fresh(), monthly(40)).isGranted()).isTrue();
        assertThat(spent(MONTHLY, "ann")).isEqualTo(100);
        assertThat(spent(MONTHLY, "bob")).isZero();
    }

    @Test
    void startsAnewAtTheResetAndNotBefore() {
        ledger.spend(fresh(), monthly(100));
        clock.set(Instant.parse("2026-07-31T23:59:59.999999Z"));
        assertThat(ledger.spend(fresh(), monthly(1)).isGranted()).isFalse();
        clock.set(Instant.parse("2026-08-01T00:00:00Z"));
        assertThat(ledger.spend(fresh(), monthly(1)).balances().get(0).remaining())
                .isEqualTo(99);
        clock.set(NOON);
        assertThat(spent(MONTHLY, "ann")).as("the period before is as it was").isEqualTo(100);
    }

    @Test
    void answersAReplayAsBeforeAndMovesNothing() {
        QuotaDecision first = ledger.spend(key("k"), monthly(60));
        ledger.spend(fresh(), monthly(40));
        clock.advance(Duration.ofDays(40));
        QuotaDecision again = ledger.spend(key("k"), monthly(60));
        assertThat(again.isReplay()).isTrue();
        assertThat(first.isReplay()).isFalse();
        assertThat(again.balances()).isEqualTo(first.balances());
        assertThat(spent(MONTHLY, "ann")).isZero();
        assertThat(ledger.spend(key("k"), monthly(60)).isReplay()).isTrue();
    }

    @Test
    void refusesAnotherRequestUnderTheSameKeyAndNamesBoth() {
        ledger.spend(key("k"), monthly(60));
        assertThatThrownBy(() -> ledger.spend(key("k"), monthly(61)))
                .isInstanceOf(IdempotencyConflictException.class)
                .hasMessageContaining("spend 60")
                .hasMessageContaining("spend 61");
        assertThatThrownBy(() -> ledger.spend(key("k"), List.of(monthly(60), team(1))))
                .isInstanceOf(IdempotencyConflictException.class);
        assertThatThrownBy(() -> ledger.reserve(key("k"), MINUTE, monthly(60)))
                .isInstanceOf(IdempotencyConflictException.class);
        assertThat(spent(MONTHLY, "ann")).isEqualTo(60);
        assertThat(spent(TEAM, "blue")).isZero();
    }

    @Test
    void keepsTheKeysOfHoldersApart() {
        ledger.spend(key("k"), monthly(60));
        QuotaDecision other = ledger.spend(key("k"), new Charge(MONTHLY, "bob", 7));
        assertThat(other.isGranted()).isTrue();
        assertThat(other.isReplay()).isFalse();
        assertThat(spent(MONTHLY, "bob")).isEqualTo(7);
    }

    @Test
    void letsWhatWasDeniedBeAskedAgainUnderItsKey() {
        ledger.spend(fresh(), monthly(100));
        assertThat(ledger.spend(key("k"), monthly(1)).isGranted()).isFalse();
        ledger.setCap(fresh(), MONTHLY, "ann", 101);
        QuotaDecision again = ledger.spend(key("k"), monthly(1));
        assertThat(again.isGranted()).isTrue();
        assertThat(again.isReplay()).isFalse();
    }

    @Test
    void chargesAllOrNothing() {
        ledger.spend(fresh(), team(140));
        QuotaDecision denied = ledger.spend(key("k"), List.of(team(11), monthly(11)));
        assertThat(denied.verdict()).isEqualTo(Verdict.DENIED);
        assertThat(denied.denied()).containsExactly(team(11));
        assertThat(denied.resetsAt()).contains(Instant.parse("2026-07-16T00:00:00Z"));
        assertThat(spent(MONTHLY, "ann")).isZero();
        QuotaDecision granted = ledger.spend(key("k"), List.of(team(10), monthly(11)));
        assertThat(granted.balances()).extracting(Balance::remaining).containsExactly(0L, 89L);
        assertThat(ledger.spend(fresh(), List.of(team(1), monthly(90))).resetsAt())
                .as("the latest")
                .contains(Instant.parse("2026-08-01T00:00:00Z"));
    }

    @Test
    void saysNeverToMoreThanTheCap() {
        QuotaDecision never = ledger.spend(fresh(), monthly(101));
        assertThat(never.verdict()).isEqualTo(Verdict.NEVER);
        assertThat(never.resetsAt()).isEmpty();
        assertThat(ledger.reserve(fresh(), MINUTE, monthly(Long.MAX_VALUE)).verdict())
                .isEqualTo(Verdict.NEVER);
        assertThat(ledger.peek(MONTHLY, "ann").remaining()).isEqualTo(100);
    }

    @Test
    void letsNothingBeSpentAlways() {
        ledger.spend(fresh(), monthly(100));
        assertThat(ledger.spend(fresh(), monthly(0)).isGranted()).isTrue();
    }

    @Test
    void countsAReservationUntilItExpiresAndNotAfter() {
        QuotaDecision reserved = ledger.reserve(key("r"), MINUTE, monthly(100));
        assertThat(reserved.expiresAt()).contains(NOON.plus(MINUTE));
        clock.set(NOON.plus(MINUTE).minusNanos(1_000));
        assertThat(ledger.spend(fresh(), monthly(1)).isGranted()).isFalse();
        clock.set(NOON.plus(MINUTE));
        assertThat(ledger.peek(MONTHLY, "ann").reserved()).isZero();
        assertThat(ledger.spend(fresh(), monthly(100)).isGranted()).isTrue();
    }

    @Test
    void settlesBelowAtAndAboveWhatWasReserved() {
        Reservation below =
                ledger.reserve(fresh(), MINUTE, monthly(40)).reservation().orElseThrow();
        assertThat(ledger.settle(below, 10).balances().get(0).remaining()).isEqualTo(90);
        Reservation at =
                ledger.reserve(fresh(), MINUTE, monthly(40)).reservation().orElseThrow();
        assertThat(ledger.settle(at, 40).balances().get(0).spent()).isEqualTo(50);
        Reservation above =
                ledger.reserve(fresh(), MINUTE, monthly(40)).reservation().orElseThrow();
        Balance last = ledger.settle(above, 55).balances().get(0);
        assertThat(last.spent()).isEqualTo(100);
        assertThat(last.uncovered()).isEqualTo(5);
        assertThat(last.reserved()).isZero();
    }

    @Test
    void settlesIntoDebtAsFarAsTheQuotaAllows() {
        Reservation reservation =
                ledger.reserve(fresh(), MINUTE, team(150)).reservation().orElseThrow();
        Balance balance = ledger.settle(reservation, 200).balances().get(0);
        assertThat(balance.spent()).isEqualTo(170);
        assertThat(balance.uncovered()).isEqualTo(30);
        assertThat(balance.remaining()).isZero();
        assertThat(ledger.spend(fresh(), team(1)).isGranted()).isFalse();
    }

    @Test
    void settlesOnceWhateverIsAskedAfterwards() {
        Reservation reservation =
                ledger.reserve(fresh(), MINUTE, monthly(40)).reservation().orElseThrow();
        QuotaDecision first = ledger.settle(reservation, 30);
        ledger.spend(fresh(), monthly(5));
        QuotaDecision again = ledger.settle(reservation, 30);
        assertThat(again.isReplay()).isTrue();
        assertThat(again.balances()).isEqualTo(first.balances());
        assertThatThrownBy(() -> ledger.settle(reservation, 31))
                .isInstanceOf(IdempotencyConflictException.class)
                .hasMessageContaining("settle 30")
                .hasMessageContaining("settle 31");
        assertThatThrownBy(() -> ledger.release(reservation)).isInstanceOf(IdempotencyConflictException.class);
        assertThatThrownBy(() -> ledger.extend(reservation, NOON.plusSeconds(90)))
                .isInstanceOf(IdempotencyConflictException.class);
        assertThat(spent(MONTHLY, "ann")).isEqualTo(35);
    }

    @Test
    void chargesOnceAfterExpiryInThePeriodOfTheReservation() {
        Reservation reservation =
                ledger.reserve(fresh(), MINUTE, monthly(40)).reservation().orElseThrow();
        clock.set(Instant.parse("2026-08-01T00:00:00Z"));
        ledger.spend(fresh(), monthly(1));
        Balance late = ledger.settle(reservation, 30).balances().get(0);
        assertThat(late.window().end()).isEqualTo(Instant.parse("2026-08-01T00:00:00Z"));
        assertThat(late.spent()).isEqualTo(30);
        assertThat(ledger.settle(reservation, 30).isReplay()).isTrue();
        assertThat(spent(MONTHLY, "ann")).as("of August").isEqualTo(1);
        clock.set(NOON);
        assertThat(spent(MONTHLY, "ann")).as("of July").isEqualTo(30);
    }

    @Test
    void chargesALateSettlementOnlyWhatHasRoom() {
        Reservation reservation =
                ledger.reserve(fresh(), MINUTE, monthly(40)).reservation().orElseThrow();
        clock.advance(MINUTE);
        ledger.spend(fresh(), monthly(90));
        Balance late = ledger.settle(reservation, 30).balances().get(0);
        assertThat(late.spent()).isEqualTo(100);
        assertThat(late.uncovered()).isEqualTo(20);
    }

    @Test
    void releasesOnce() {
        Reservation reservation =
                ledger.reserve(fresh(), MINUTE, monthly(40)).reservation().orElseThrow();
        assertThat(ledger.release(reservation).balances().get(0).remaining()).isEqualTo(100);
        assertThat(ledger.release(reservation).isReplay()).isTrue();
        assertThatThrownBy(() -> ledger.settle(reservation, 1))
                .isInstanceOf(IdempotencyConflictException.class)
                .hasMessageContaining("release");
    }

    @Test
    void releasesWhatHasExpiredWithoutGivingItBackTwice() {
        Reservation reservation =
                ledger.reserve(fresh(), MINUTE, monthly(40)).reservation().orElseThrow();
        clock.advance(MINUTE);
        assertThat(ledger.release(reservation).balances().get(0).reserved()).isZero();
        assertThat(ledger.peek(MONTHLY, "ann").remaining()).isEqualTo(100);
    }

    @Test
    void extendsAReservationThatIsOpenAndNeverShortensIt() {
        Reservation reservation =
                ledger.reserve(fresh(), MINUTE, monthly(40)).reservation().orElseThrow();
        Instant later = NOON.plusSeconds(600);
        assertThat(ledger.extend(reservation, later).expiresAt()).contains(later);
        assertThat(ledger.extend(reservation, NOON.plusSeconds(1)).expiresAt()).contains(later);
        clock.set(later.minusSeconds(1));
        assertThat(ledger.peek(MONTHLY, "ann").reserved()).isEqualTo(40);
        clock.set(later);
        QuotaDecision tooLate = ledger.extend(reservation, later.plusSeconds(1));
        assertThat(tooLate.verdict()).isEqualTo(Verdict.DENIED);
        assertThat(ledger.peek(MONTHLY, "ann").reserved()).isZero();
    }

    @Test
    void reservesSeveralQuotasOrNone() {
        ledger.spend(fresh(), team(140));
        assertThat(ledger.reserve(fresh(), MINUTE, List.of(monthly(20), team(20)))
                        .isGranted())
                .isFalse();
        assertThat(ledger.peek(MONTHLY, "ann").reserved()).isZero();
        Reservation reservation = ledger.reserve(fresh(), MINUTE, List.of(monthly(10), team(10)))
                .reservation()
                .orElseThrow();
        QuotaDecision settled = ledger.settle(reservation, List.of(team(3), monthly(4)));
        assertThat(settled.balances()).extracting(Balance::spent).containsExactly(143L, 4L);
        assertThat(settled.balances()).extracting(Balance::reserved).containsExactly(0L, 0L);
    }

    @Test
    void findsAReservationByItsKeyAlone() {
        ledger.reserve(key("r"), MINUTE, monthly(40));
        Reservation known = new Reservation(key("r"), List.of(monthly(40)));
        assertThat(ledger.settle(known, 12).isGranted()).isTrue();
        Reservation unknown = new Reservation(key("s"), List.of(monthly(40)));
        assertThatThrownBy(() -> ledger.settle(unknown, 12))
                .isInstanceOf(UnknownOperationException.class)
                .hasMessageContaining("\"s\"");
        assertThatThrownBy(() -> ledger.release(unknown)).isInstanceOf(UnknownOperationException.class);
        assertThat(ledger.reserve(key("r"), MINUTE, monthly(40)).isReplay()).isTrue();
        assertThat(spent(MONTHLY, "ann")).isEqualTo(12);
    }

    @Test
    void refundsNoMoreThanWasSpentAndOncePerKey() {
        ledger.spend(key("s"), monthly(60));
        assertThat(ledger.refund(key("f"), key("s"), List.of(monthly(50))).isGranted())
                .isTrue();
        assertThat(ledger.refund(key("f"), key("s"), List.of(monthly(50))).isReplay())
                .isTrue();
        QuotaDecision tooMuch = ledger.refund(key("g"), key("s"), List.of(monthly(11)));
        assertThat(tooMuch.verdict()).isEqualTo(Verdict.NEVER);
        assertThat(ledger.refund(key("g"), key("s"), List.of(monthly(10))).isGranted())
                .isTrue();
        assertThat(spent(MONTHLY, "ann")).isZero();
        assertThatThrownBy(() -> ledger.refund(key("h"), key("none"), List.of(monthly(1))))
                .isInstanceOf(UnknownOperationException.class);
        assertThatThrownBy(() -> ledger.refund(key("f"), key("s"), List.of(monthly(49))))
                .isInstanceOf(IdempotencyConflictException.class);
    }

    @Test
    void refundsToThePeriodOfTheSpend() {
        ledger.spend(key("s"), monthly(60));
        clock.set(Instant.parse("2026-08-02T00:00:00Z"));
        ledger.spend(fresh(), monthly(30));
        ledger.refund(fresh(), key("s"), List.of(monthly(60)));
        assertThat(spent(MONTHLY, "ann")).as("of August").isEqualTo(30);
        clock.set(NOON);
        assertThat(spent(MONTHLY, "ann")).as("of July").isZero();
    }

    @Test
    void usesCreditFirstAndTheEarliestExpiryFirst() {
        ledger.grantCredit(key("late"), monthly(10), NOON.plusSeconds(7_200));
        ledger.grantCredit(key("soon"), monthly(10), NOON.plusSeconds(3_600));
        assertThat(ledger.grantCredit(key("soon"), monthly(10), NOON.plusSeconds(3_600))
                        .isReplay())
                .isTrue();
        Balance balance = ledger.spend(key("s"), monthly(15)).balances().get(0);
        assertThat(balance.credit()).isEqualTo(5);
        assertThat(balance.spent()).isZero();
        clock.advance(Duration.ofHours(1));
        assertThat(ledger.peek(MONTHLY, "ann").credit()).as("5 of late").isEqualTo(5);
        assertThat(ledger.spend(fresh(), monthly(105)).isGranted()).isTrue();
        assertThat(ledger.spend(fresh(), monthly(1)).isGranted()).isFalse();
        ledger.refund(fresh(), key("s"), List.of(monthly(7)));
        assertThat(ledger.peek(MONTHLY, "ann").credit())
                .as("5 back to late; 2 to soon, which has expired")
                .isEqualTo(5);
        clock.advance(Duration.ofHours(1));
        assertThat(ledger.peek(MONTHLY, "ann").credit()).isZero();
    }

    @Test
    void holdsCreditForAReservationAndGivesItBack() {
        ledger.grantCredit(key("c"), monthly(10), NOON.plusSeconds(7_200));
        Reservation first =
                ledger.reserve(fresh(), MINUTE, monthly(30)).reservation().orElseThrow();
        assertThat(ledger.peek(MONTHLY, "ann").credit()).isZero();
        Balance settled = ledger.settle(first, 4).balances().get(0);
        assertThat(settled.credit()).isEqualTo(6);
        assertThat(settled.spent()).isZero();
        ledger.reserve(fresh(), MINUTE, monthly(30));
        clock.advance(MINUTE);
        assertThat(ledger.spend(fresh(), monthly(106)).isGranted()).isTrue();
    }

    @Test
    void changesCapsInMidPeriodAndRemembersThatItDid() {
        ledger.spend(fresh(), monthly(80));
        ledger.setCap(key("up"), MONTHLY, "ann", 200);
        assertThat(ledger.peek(MONTHLY, "ann").remaining()).isEqualTo(120);
        ledger.setCap(key("down"), MONTHLY, "ann", 50);
        assertThat(ledger.peek(MONTHLY, "ann").remaining()).isZero();
        assertThat(ledger.setCap(key("up"), MONTHLY, "ann", 200).isReplay()).isTrue();
        assertThat(ledger.peek(MONTHLY, "ann").cap())
                .as("a late copy undoes nothing")
                .isEqualTo(50);
        ledger.removeCap(fresh(), MONTHLY, "ann");
        assertThat(ledger.peek(MONTHLY, "ann").remaining()).isEqualTo(20);
        assertThat(ledger.peek(MONTHLY, "bob").cap()).isEqualTo(100);
    }

    @Test
    void refusesAmountsThatDoNotFit() {
        Quota huge = Quota.named("huge")
                .cap(Long.MAX_VALUE)
                .period(Period.month(ZoneId.of("UTC")))
                .build();
        Charge all = new Charge(huge, "ann", Long.MAX_VALUE);
        assertThat(ledger.spend(fresh(), all).isGranted()).isTrue();
        assertThat(ledger.spend(fresh(), all).verdict()).isEqualTo(Verdict.DENIED);
        assertThatThrownBy(() -> ledger.grantCredit(fresh(), all.withAmount(1), NOON.plusSeconds(60)))
                .isInstanceOf(AmountOverflowException.class)
                .hasMessageContaining("huge");
        assertThatThrownBy(() -> ledger.setCap(fresh(), TEAM, "blue", Long.MAX_VALUE))
                .isInstanceOf(AmountOverflowException.class);
        assertThatThrownBy(() -> monthly(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
        assertThatThrownBy(() -> ledger.setCap(fresh(), TEAM, "blue", -5)).hasMessageContaining("-5");
        assertThat(spent(huge, "ann")).isEqualTo(Long.MAX_VALUE);
    }

    @SuppressWarnings("NullAway") // what those do who have no such checker
    @Test
    void namesTheArgumentThatIsNull() {
        assertThatThrownBy(() -> new Charge(MONTHLY, null, 1))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("key");
        assertThatThrownBy(() -> IdempotencyKey.of(null)).hasMessage("text");
        assertThatThrownBy(() -> ledger.spend(null, monthly(1))).hasMessage("key");
        assertThatThrownBy(() -> ledger.spend(fresh(), List.of(monthly(1), monthly(2))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> Quota.named("q")
                        .cap(1)
                        .period(Period.day(ZoneId.of("UTC")))
                        .onFailure(FailurePolicy.LOCAL_SHARE)
                        .build())
                .hasMessageContaining("LOCAL_SHARE");
    }

    /** K-11. */
    @Test
    void countsACallAtTheResetInTheNewPeriodOnly() {
        Quota anchored = Quota.named("anchored")
                .cap(100)
                .period(Period.month(ZoneId.of("UTC"), 31))
                .build();
        clock.set(Instant.parse("2026-02-27T23:59:59.999999Z"));
        ledger.spend(fresh(), new Charge(anchored, "ann", 50));
        Instant reset = Instant.parse("2026-02-28T00:00:00Z");
        clock.set(reset);
        Balance balance =
                ledger.spend(fresh(), new Charge(anchored, "ann", 1)).balances().get(0);
        assertThat(balance.window()).isEqualTo(new Window(reset, Instant.parse("2026-03-31T00:00:00Z")));
        assertThat(balance.remaining()).isEqualTo(99);
        clock.set(reset.minusNanos(1_000));
        assertThat(spent(anchored, "ann")).isEqualTo(50);
    }

    /** K-15. */
    @Test
    void keepsAnyKeyApartFromAnyOther() {
        List<String> keys = List.of(
                "2001:db8::1",
                "user name",
                "user\nname",
                "user%000aname",
                "{}()/\\@:",
                "alice@example.com",
                "😀",
                "\ud83d",
                "\ude00",
                "",
                " ",
                "a\u0000b",
                "%",
                "%#",
                "a".repeat(512) + "1",
                "a".repeat(512) + "2",
                "b".repeat(10_000),
                "c".repeat(1_000_000),
                "\u0000".repeat(255));
        for (int i = 0; i < keys.size(); i++) {
            Charge charge = new Charge(MONTHLY, keys.get(i), i + 1);
            QuotaDecision decision = ledger.spend(key("k" + keys.get(i)), charge);
            assertThat(decision.isGranted()).isTrue();
            assertThat(decision.balances().get(0).key()).isEqualTo(keys.get(i));
        }
        for (int i = 0; i < keys.size(); i++) {
            assertThat(spent(MONTHLY, keys.get(i))).isEqualTo(i + 1);
            assertThat(ledger.spend(key("k" + keys.get(i)), new Charge(MONTHLY, keys.get(i), i + 1))
                            .isReplay())
                    .isTrue();
        }
        assertThat(TestDatabase.number(pool, "SELECT max(char_length(holder)) FROM weir_quota_account"))
                .isLessThanOrEqualTo(256);
    }

    @Test
    void findsWhatDoesNotFollowFromTheHistoryAndRepairsNothing() throws Exception {
        ledger.grantCredit(key("c"), monthly(5), NOON.plusSeconds(60));
        ledger.spend(fresh(), monthly(10));
        ledger.reserve(key("r"), MINUTE, monthly(7));
        for (String table : List.of("period SET spent", "credit SET used", "reservation SET amount")) {
            String column = table.substring(table.lastIndexOf(' ') + 1);
            try (var connection = pool.getConnection();
                    var statement = connection.createStatement()) {
                statement.execute("UPDATE weir_quota_" + table + " = " + column + " - 1");
                assertThat(ledger.verify())
                        .as(table)
                        .singleElement()
                        .satisfies(each -> assertThat(each.what())
                                .contains(table.substring(0, table.indexOf(' ')))
                                .contains("ann"));
                assertThat(ledger.verify()).as("again: nothing is repaired").hasSize(1);
                statement.execute("UPDATE weir_quota_" + table + " = " + column + " + 1");
            }
        }
    }

    @Test
    void cleansUpWhatIsOldInBatchesAndKeepsTheHistory() {
        for (int i = 0; i < 7; i++) {
            ledger.spend(key("s" + i), monthly(1));
        }
        ledger.grantCredit(key("c"), monthly(5), NOON.plusSeconds(60));
        ledger.spend(fresh(), monthly(3));
        ledger.reserve(key("r"), MINUTE, monthly(7));
        Reservation settled =
                ledger.reserve(key("t"), MINUTE, monthly(7)).reservation().orElseThrow();
        ledger.settle(settled, 5);
        clock.advance(Duration.ofDays(40));
        Retention retention = new Retention(Duration.ofDays(1), Duration.ofDays(2), 2);
        ledger.spend(key("young"), monthly(2));
        assertThat(ledger.cleanUp(retention)).isPositive();
        assertThat(TestDatabase.number(pool, "SELECT count(*) FROM weir_quota_operation"))
                .isEqualTo(1);
        assertThat(TestDatabase.number(pool, "SELECT count(*) FROM weir_quota_reservation"))
                .isZero();
        assertThat(TestDatabase.number(pool, "SELECT count(*) FROM weir_quota_credit"))
                .isZero();
        assertThat(TestDatabase.number(pool, "SELECT count(*) FROM weir_quota_period"))
                .isEqualTo(1);
        assertThat(TestDatabase.number(pool, "SELECT count(*) FROM weir_quota_ledger"))
                .isGreaterThan(10);
        assertThat(ledger.cleanUp(retention)).isZero();
        assertThat(ledger.spend(key("young"), monthly(2)).isReplay()).isTrue();
        assertThat(spent(MONTHLY, "ann")).isEqualTo(2);
    }

    @Test
    void countsOnWhereARuleIsGivenALongerPeriodThatStartsAtTheSameTime() throws Exception {
        clock.set(Instant.parse("2026-01-15T12:00:00Z"));
        ledger.spend(fresh(), monthly(10));
        clock.set(Instant.parse("2026-03-15T12:00:00Z"));
        ledger.spend(fresh(), monthly(1));
        Quota yearly = Quota.named("monthly")
                .cap(100)
                .period(Period.year(ZoneId.of("UTC"), MonthDay.of(1, 1)))
                .build();
        Charge one = new Charge(yearly, "ann", 1);

        assertThat(spent(yearly, "ann")).isEqualTo(10);
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            assertThat(ledger.on(connection).spend(fresh(), one).isGranted()).isTrue();
            connection.commit();
        }
        assertThat(ledger.spend(fresh(), one).isGranted()).isTrue();
        clock.set(Instant.parse("2026-12-31T12:00:00Z"));
        assertThat(ledger.spend(fresh(), one.withAmount(88)).isGranted()).isTrue();
        assertThat(ledger.spend(fresh(), one).isGranted()).isFalse();
    }

    @Test
    void countsOnWhereARuleIsGivenAShorterPeriodThatStartsAtTheSameTime() {
        clock.set(Instant.parse("2026-01-15T12:00:00Z"));
        Quota yearly = Quota.named("monthly")
                .cap(100)
                .period(Period.year(ZoneId.of("UTC"), MonthDay.of(1, 1)))
                .build();
        ledger.spend(fresh(), new Charge(yearly, "ann", 60));

        assertThat(ledger.spend(fresh(), monthly(41)).isGranted()).isFalse();
        assertThat(ledger.spend(fresh(), monthly(40)).isGranted()).isTrue();
        clock.set(Instant.parse("2026-02-01T00:00:00Z"));
        assertThat(ledger.spend(fresh(), monthly(100)).isGranted()).isTrue();
    }

    @Test
    void takesBackNoMoreThanARefundHasLeft() throws Exception {
        Transactions transactions = new Transactions(pool, clock, Duration.ofSeconds(30));
        Step told = Step.of(Step.Kind.SPEND, key("told no"), List.of(monthly(30)));
        ledger.spend(fresh(), monthly(50));
        transactions.decide(told, new Gate());
        ledger.refund(fresh(), key("told no"), List.of(monthly(20)));

        transactions.decide(told.undo(), new Gate());

        assertThat(spent(MONTHLY, "ann")).isEqualTo(50);
    }

    @Test
    void remembersADenialOfSeveralChargesOnlyWithAllThatDeny() {
        ledger.spend(fresh(), List.of(monthly(100), team(150)));
        ledger.spend(fresh(), team(1)); // and so knows when the day ends, but not the month
        List<Charge> both = List.of(monthly(1), team(1));

        for (QuotaDecision.Source each : List.of(QuotaDecision.Source.LEDGER, QuotaDecision.Source.MEMORY)) {
            QuotaDecision denied = ledger.spend(fresh(), both);
            assertThat(denied.source()).isEqualTo(each);
            assertThat(denied.denied()).isEqualTo(both);
            assertThat(denied.resetsAt()).contains(Instant.parse("2026-08-01T00:00:00Z"));
            assertThat(denied.balances()).extracting(Balance::key).containsExactly("ann", "blue");
        }
        assertThat(ledger.spend(fresh(), List.of(monthly(101), team(1))).verdict())
                .isEqualTo(Verdict.NEVER);
    }

    @Test
    void remembersADenialBesideAChargeThatHasRoom() {
        ledger.spend(fresh(), monthly(100));
        List<Charge> both = List.of(monthly(1), team(1));

        for (QuotaDecision.Source each : List.of(QuotaDecision.Source.LEDGER, QuotaDecision.Source.MEMORY)) {
            QuotaDecision denied = ledger.spend(fresh(), both);
            assertThat(denied.source()).isEqualTo(each);
            assertThat(denied.denied()).containsExactly(monthly(1));
            assertThat(denied.balances()).hasSize(2);
        }
        assertThat(ledger.spend(fresh(), team(150)).isGranted()).isTrue();
    }

    @Test
    void answersAThreadThatIsToldToStopAsAnyOther() {
        Thread.currentThread().interrupt();

        QuotaDecision answer = ledger.spend(fresh(), monthly(1));

        assertThat(Thread.interrupted()).as("it is still told to stop").isTrue();
        assertThat(answer.source()).isEqualTo(QuotaDecision.Source.LEDGER);
    }
}
