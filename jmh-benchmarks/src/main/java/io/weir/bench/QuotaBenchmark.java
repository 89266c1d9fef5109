package io.weir.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/** One spend, granted, each under an idempotency key of its own, on a PostgreSQL that runs already. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@SuppressWarnings("NullAway.Init") // JMH sets parameters and calls make first
public class QuotaBenchmark {

    /** Who spends. */
    @Param
    public Spender spender;

    /** On behalf of how many keys. */
    @Param({"1", "1000"})
    public int keys;

    /** A PostgreSQL that has the tables: {@link QuotaComparison} starts one. */
    @Param("")
    public String url;

    private HikariDataSource pool;
    private List<String> names;
    private Spends spends;

    /** Connects, with a connection for each thread. */
    @Setup
    public void make(BenchmarkParams params) throws SQLException {
        make(params.getThreads());
    }

    void make(int threads) throws SQLException {
        pool = QuotaDatabase.pool(url, threads);
        QuotaDatabase.empty(pool);
        names = IntStream.range(0, keys).mapToObj(i -> "key " + i).toList();
        spends = spender.begin(pool, threads, names);
    }

    /** Hangs up. */
    @TearDown
    public void stop() {
        spends.close();
        pool.close();
    }

    @Benchmark
    public void spend() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        String unique = Long.toHexString(random.nextLong()) + Long.toHexString(random.nextLong());
        if (!spends.spend(names.get(random.nextInt(keys)), unique)) {
            throw new IllegalStateException(spender.text() + " denied what there is room for");
        }
    }
}
