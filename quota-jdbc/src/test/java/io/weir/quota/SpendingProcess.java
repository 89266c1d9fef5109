package io.weir.quota;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A JVM that spends, for tests that have several or kill one. Says on its output what it has been told, line by line:
 *
 * <pre>
 * ready
 * granted KEY            a spend, once it was answered
 * denied KEY
 * reserved KEY UNTIL     micros since 1970
 * done
 * </pre>
 */
final class SpendingProcess {

    static final Quota ONE = yearly("one", 1);
    static final Quota MANY = yearly("many", 1_000_000);

    private static final int THREADS = 4;

    private SpendingProcess() {}

    private static Quota yearly(String name, long cap) {
        return Quota.named(name)
                .cap(cap)
                .period(Period.year(ZoneId.of("UTC"), java.time.MonthDay.of(1, 1)))
                .build();
    }

    /**
     * Spends until it is done, or killed.
     *
     * @param args the database; {@code each} to spend one of each of so many keys, or {@code on} to go on until it is killed; a name or number
     */
    public static void main(String[] args) throws Exception {
        try (HikariDataSource pool = TestDatabase.pool(args[0], THREADS);
                QuotaLedger ledger = QuotaLedger.over(pool)
                        .workers(THREADS)
                        .deadline(Duration.ofMinutes(1))
                        .build()) {
            ledger.peek(MANY, "nobody"); // connected
            say("ready");
            System.in.read();
            if (args[1].equals("each")) {
                spendOneOfEach(ledger, Integer.parseInt(args[2]));
            } else {
                goOn(ledger, args[2]);
            }
            say("done");
        }
    }

    private static void spendOneOfEach(QuotaLedger ledger, int keys) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<?>> all = new ArrayList<>();
        AtomicInteger next = new AtomicInteger();
        for (int i = 0; i < THREADS; i++) {
            all.add(threads.submit(() -> {
                for (int n = next.getAndIncrement(); n < keys; n = next.getAndIncrement()) {
                    QuotaDecision decision = ledger.spend(IdempotencyKey.fresh(), new Charge(ONE, "key " + n, 1));
                    say((decision.isGranted() ? "granted " : "denied ") + n);
                }
            }));
        }
        for (Future<?> each : all) {
            each.get();
        }
        threads.shutdown();
    }

    /** Puts 7 aside for a while, and spends 3 again and again. */
    private static void goOn(QuotaLedger ledger, String name) throws Exception {
        QuotaDecision aside =
                ledger.reserve(IdempotencyKey.of(name + " aside"), Duration.ofSeconds(4), new Charge(MANY, name, 7));
        say("reserved " + Micros.of(aside.expiresAt().orElseThrow()));
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        AtomicInteger next = new AtomicInteger();
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            all.add(threads.submit(() -> {
                while (true) {
                    int n = next.getAndIncrement();
                    ledger.spend(IdempotencyKey.of(name + " " + n), new Charge(MANY, "payer", 3));
                    say("granted " + n);
                }
            }));
        }
        for (Future<?> each : all) {
            each.get();
        }
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
