package io.weir.quota;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random steps, one after the other, on a clock that leaps over resets and expiries: the ledger comes to what {@link QuotaOracle} does. */
class QuotaWalkTest {

    private static final int STEPS = Integer.getInteger("weir.quota.steps", 1_000);
    private static final List<String> KEYS = List.of("ann", "bob");
    private static final Quota QUOTA = Quota.named("walked")
            .cap(30)
            .period(Period.day(ZoneId.of("Europe/Berlin")))
            .debt(7)
            .build();

    private enum Kind {
        SPEND,
        RESERVE,
        SETTLE,
        RELEASE,
        REFUND,
        REPLAY,
        CREDIT,
        CAP,
        UNCAP,
        TIME
    }

    @Test
    void comesToWhatTheOracleDoesOnPostgres() {
        walk(TestDatabase.emptyPostgres());
    }

    @Test
    void comesToWhatTheOracleDoesOnH2() {
        walk(TestDatabase.newH2());
    }

    private static void walk(String url) {
        long seed = Long.getLong("weir.seed", System.nanoTime());
        System.out.println("QuotaWalkTest: replay with -Dweir.seed=" + seed);
        SettableClock clock = new SettableClock(Instant.parse("2026-10-24T20:00:00Z")); // the night of 25 hours
        try (HikariDataSource pool = TestDatabase.pool(url, 2);
                QuotaLedger ledger = QuotaLedger.over(pool)
                        .clock(clock)
                        .deadline(Duration.ofSeconds(30))
                        .workers(1)
                        .build()) {
            new Walk(seed, clock, ledger).run();
            assertThat(ledger.verify()).isEmpty();
        }
    }

    private static final List<Kind> ALL = List.of(Kind.values());

    private static final class Walk {
        private final long seed;
        private final SplittableRandom random;
        private final SettableClock clock;
        private final QuotaLedger ledger;
        private final Map<String, QuotaOracle> oracles = new LinkedHashMap<>();
        private final Map<String, Long> spends = new LinkedHashMap<>();
        private final Map<String, Reservation> open = new LinkedHashMap<>();
        private final Map<Boolean, Integer> verdicts = new LinkedHashMap<>();
        private final Map<Kind, Integer> kinds = new EnumMap<>(Kind.class);
        private int step;

        Walk(long seed, SettableClock clock, QuotaLedger ledger) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.clock = clock;
            this.ledger = ledger;
            KEYS.forEach(key -> oracles.put(key, new QuotaOracle(QUOTA)));
        }

        void run() {
            for (step = 0; step < STEPS; step++) {
                String key = KEYS.get(random.nextInt(KEYS.size()));
                Kind kind = random.nextInt(3) == 0 ? Kind.SPEND : ALL.get(random.nextInt(ALL.size()));
                step(kind, key);
                kinds.merge(kind, 1, Integer::sum);
                compare();
            }
            // Agreement means little if all were denied, or nothing was done.
            assertThat(verdicts.get(true)).isGreaterThan(STEPS / 20);
            assertThat(verdicts.get(false)).isGreaterThan(STEPS / 20);
            assertThat(kinds).hasSize(ALL.size());
        }

        private void step(Kind kind, String key) {
            QuotaOracle oracle = oracle(key);
            Instant now = clock.instant();
            switch (kind) {
                case SPEND -> {
                    String id = key + " " + step;
                    long amount = random.nextLong(1, 13);
                    QuotaDecision decision = ledger.spend(IdempotencyKey.of(id), charge(key, amount));
                    same(decision.isGranted(), oracle.spend(id, amount, now));
                    if (decision.isGranted()) {
                        spends.put(id, amount);
                    }
                }
                case RESERVE -> {
                    String id = key + " " + step;
                    long amount = random.nextLong(1, 13);
                    Duration ttl = Duration.ofMinutes(random.nextLong(1, 601));
                    QuotaDecision decision = ledger.reserve(IdempotencyKey.of(id), ttl, charge(key, amount));
                    same(decision.isGranted(), oracle.reserve(id, amount, ttl, now));
                    decision.reservation().ifPresent(each -> open.put(id, each));
                }
                case SETTLE -> {
                    String id = any(open.keySet());
                    if (id != null) {
                        Reservation reservation = take(id);
                        long actual = random.nextLong(20);
                        QuotaDecision decision = ledger.settle(reservation, actual);
                        assertThat(decision.balances().get(0).uncovered())
                                .as(this::where)
                                .isEqualTo(oracle(keyOf(id)).settle(id, actual, now));
                    }
                }
                case RELEASE -> {
                    String id = any(open.keySet());
                    if (id != null) {
                        ledger.release(take(id));
                        oracle(keyOf(id)).release(id, now);
                    }
                }
                case REFUND -> {
                    String id = any(spends.keySet());
                    if (id != null) {
                        long amount = random.nextLong(1, 7);
                        QuotaDecision decision = ledger.refund(
                                IdempotencyKey.of("refund " + step),
                                IdempotencyKey.of(id),
                                List.of(charge(keyOf(id), amount)));
                        assertThat(decision.isGranted())
                                .as(this::where)
                                .isEqualTo(oracle(keyOf(id)).refund(id, amount, now));
                    }
                }
                case REPLAY -> {
                    String id = any(spends.keySet());
                    if (id != null) {
                        QuotaDecision replay = ledger.spend(IdempotencyKey.of(id), charge(keyOf(id), amountOf(id)));
                        assertThat(replay.isReplay()).as(this::where).isTrue();
                    }
                }
                case CREDIT -> {
                    String id = "credit " + step;
                    long amount = random.nextLong(1, 10);
                    Instant expiresAt = now.plus(Duration.ofMinutes(random.nextLong(1, 3_001)));
                    ledger.grantCredit(IdempotencyKey.of(id), charge(key, amount), expiresAt);
                    oracle.credit(id, amount, expiresAt);
                }
                case CAP -> {
                    long cap = random.nextLong(50);
                    ledger.setCap(IdempotencyKey.fresh(), QUOTA, key, cap);
                    oracle.cap(cap);
                }
                case UNCAP -> {
                    ledger.removeCap(IdempotencyKey.fresh(), QUOTA, key);
                    oracle.cap(null);
                }
                case TIME -> clock.advance(Duration.ofMinutes(random.nextLong(random.nextInt(4) == 0 ? 900 : 60)));
            }
        }

        private void compare() {
            Instant now = clock.instant();
            oracles.forEach((key, oracle) -> {
                Balance balance = ledger.peek(QUOTA, key);
                assertThat(List.of(balance.spent(), balance.reserved(), balance.credit()))
                        .as(this::where)
                        .containsExactly(oracle.spent(now), oracle.reserved(now), oracle.credit(now));
            });
        }

        private void same(boolean granted, boolean expected) {
            assertThat(granted).as(this::where).isEqualTo(expected);
            verdicts.merge(granted, 1, Integer::sum);
        }

        private String where() {
            return "step " + step + " of -Dweir.seed=" + seed;
        }

        private QuotaOracle oracle(String key) {
            return Objects.requireNonNull(oracles.get(key));
        }

        private long amountOf(String spend) {
            return Objects.requireNonNull(spends.get(spend));
        }

        private Reservation take(String id) {
            return Objects.requireNonNull(open.remove(id));
        }

        private static String keyOf(String id) {
            return id.substring(0, id.indexOf(' '));
        }

        private static Charge charge(String key, long amount) {
            return new Charge(QUOTA, key, amount);
        }

        private @Nullable String any(Set<String> ids) {
            List<String> all = new ArrayList<>(ids);
            return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
        }
    }
}
