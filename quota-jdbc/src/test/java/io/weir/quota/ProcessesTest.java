package io.weir.quota;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several JVMs on one database, and one that is killed while it spends. */
@Timeout(180)
class ProcessesTest {

    private static final int KEYS = 1_000;
    private static final int KILLS = Integer.getInteger("weir.quota.kills", 2);

    /** A JVM that spends, and what it has said so far. */
    private static final class Spender implements AutoCloseable {
        private final Process process;
        private final BufferedReader output;

        Spender(String... args) throws IOException {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    SpendingProcess.class.getName()));
            command.addAll(List.of(args));
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        String line() throws IOException {
            return Objects.requireNonNull(output.readLine(), "it has ended");
        }

        void go() throws IOException {
            OutputStream input = process.getOutputStream();
            input.write('\n');
            input.flush();
        }

        /** As kill -9 does, which leaves what it has said to be read. */
        void kill() throws InterruptedException {
            ProcessHandle.of(process.pid()).orElseThrow().destroyForcibly();
            process.waitFor();
        }

        List<String> rest() throws IOException {
            List<String> lines = new ArrayList<>();
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(line);
            }
            return lines;
        }

        @Override
        public void close() throws IOException {
            process.destroyForcibly();
            try {
                assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            output.close();
        }
    }

    @Test
    void twoJvmsSpendEachUnitOnceOnPostgres() throws Exception {
        twoJvmsSpendEachUnitOnce(TestDatabase.newPostgres());
    }

    @Test
    void twoJvmsSpendEachUnitOnceOnH2(@TempDir Path directory) throws Exception {
        twoJvmsSpendEachUnitOnce(TestDatabase.newSharedH2(directory));
    }

    private static void twoJvmsSpendEachUnitOnce(String url) throws Exception {
        try (HikariDataSource pool = TestDatabase.pool(url, 2);
                Spender one = new Spender(url, "each", "" + KEYS);
                Spender other = new Spender(url, "each", "" + KEYS)) {
            assertThat(one.line()).isEqualTo("ready");
            assertThat(other.line()).isEqualTo("ready");
            one.go();
            other.go();
            List<String> granted = new ArrayList<>();
            int denied = 0;
            for (Spender each : List.of(one, other)) {
                List<String> said = each.rest();
                assertThat(said).last().isEqualTo("done");
                said.stream().filter(line -> line.startsWith("granted ")).forEach(granted::add);
                denied += (int)
                        said.stream().filter(line -> line.startsWith("denied ")).count();
            }
            assertThat(granted).hasSize(KEYS).doesNotHaveDuplicates();
            assertThat(denied).isEqualTo(KEYS);
            try (QuotaLedger ledger = QuotaLedger.over(pool).build()) {
                assertThat(TestDatabase.number(pool, "SELECT sum(spent) FROM weir_quota_period"))
                        .isEqualTo(KEYS);
                assertThat(ledger.verify()).isEmpty();
            }
        }
    }

    @Test
    void aKilledJvmLosesNothingAndNothingIsSpentTwice() throws Exception {
        String url = TestDatabase.newPostgres();
        try (HikariDataSource pool = TestDatabase.pool(url, 4);
                QuotaLedger ledger =
                        QuotaLedger.over(pool).deadline(Duration.ofSeconds(30)).build()) {
            int spends = 0;
            for (int kill = 0; kill < KILLS; kill++) {
                spends += kill(url, pool, ledger, "victim " + kill, spends);
            }
        }
    }

    /** @return how many spends the victim has made */
    private static int kill(String url, HikariDataSource pool, QuotaLedger ledger, String name, int before)
            throws Exception {
        Set<Integer> acknowledged = new TreeSet<>();
        Instant expiry;
        try (Spender victim = new Spender(url, "on", name)) {
            assertThat(victim.line()).isEqualTo("ready");
            victim.go();
            expiry = Micros.instant(Long.parseLong(victim.line().replace("reserved ", "")));
            while (acknowledged.size() < 200) {
                acknowledged.add(Integer.valueOf(victim.line().replace("granted ", "")));
            }
            victim.kill();
            victim.rest().stream()
                    .filter(line -> line.matches("granted \\d+")) // the last one may be cut
                    .forEach(line -> acknowledged.add(Integer.valueOf(line.replace("granted ", ""))));
        }
        assertThat(ledger.verify()).isEmpty();

        int stored = 0;
        int last = acknowledged.stream().max(Integer::compare).orElseThrow() + 10;
        for (int n = 0; n <= last; n++) { // asked again, as whoever has not been answered does
            QuotaDecision decision =
                    ledger.spend(IdempotencyKey.of(name + " " + n), new Charge(SpendingProcess.MANY, "payer", 3));
            assertThat(decision.isGranted()).isTrue();
            if (acknowledged.contains(n)) {
                assertThat(decision.isReplay()).as("acknowledged %d", n).isTrue();
            }
            stored++;
        }
        assertThat(ledger.peek(SpendingProcess.MANY, "payer").spent()).isEqualTo(3L * (before + stored));

        comesBackAtItsExpiryAndNotBefore(pool, ledger, name, expiry);
        assertThat(ledger.verify()).isEmpty();
        return stored;
    }

    /** By the time that the database tells with each look: before the expiry 7 are put aside, and from then on none. */
    private static void comesBackAtItsExpiryAndNotBefore(
            HikariDataSource pool, QuotaLedger ledger, String name, Instant expiry) {
        boolean seenBefore = false;
        while (true) {
            Instant from = now(pool);
            long reserved = ledger.peek(SpendingProcess.MANY, name).reserved();
            Instant until = now(pool);
            if (until.isBefore(expiry)) {
                assertThat(reserved).as("before its expiry").isEqualTo(7);
                seenBefore = true;
            } else if (!from.isBefore(expiry)) {
                assertThat(reserved).as("after its expiry").isZero();
                break;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        assertThat(seenBefore).as("looked at before its expiry").isTrue();
    }

    private static Instant now(HikariDataSource pool) {
        return Micros.instant(
                TestDatabase.number(pool, "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)"));
    }
}
