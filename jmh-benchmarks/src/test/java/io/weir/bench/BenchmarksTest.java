package io.weir.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.store.Source;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.openjdk.jmh.annotations.Fork;

/** Calls every benchmark a few times, so that none rots; each of them checks by itself that its row is what it says. */
class BenchmarksTest {

    private static final int CALLS = 3;

    @ParameterizedTest
    @EnumSource
    void localRowsAreWhatTheySay(Outcome outcome) {
        for (LocalBenchmark.Keys keys : LocalBenchmark.Keys.values()) {
            LocalBenchmark benchmark = new LocalBenchmark();
            benchmark.outcome = outcome;
            benchmark.keys = keys;
            benchmark.draw();
            LocalPeers.WeirLocal weir = new LocalPeers.WeirLocal();
            weir.make(benchmark);
            LocalPeers.WeirWatchingKeys watching = new LocalPeers.WeirWatchingKeys();
            watching.make(benchmark);
            LocalPeers.ClockAndCas clockAndCas = new LocalPeers.ClockAndCas();
            clockAndCas.make(benchmark);
            LocalPeers.Bucket4j bucket4j = new LocalPeers.Bucket4j();
            bucket4j.make(benchmark);
            LocalPeers.Resilience4j resilience4j = new LocalPeers.Resilience4j();
            resilience4j.make(benchmark);
            LocalPeers.Guava guava = new LocalPeers.Guava();
            guava.make(benchmark);
            LocalPeers.Failsafe failsafe = new LocalPeers.Failsafe();
            failsafe.make(benchmark);

            Caller caller = new Caller();
            for (int i = 0; i < CALLS; i++) {
                benchmark.weir(weir, caller);
                benchmark.weirWatchingKeys(watching, caller);
                benchmark.clockAndCas(clockAndCas, caller);
                benchmark.bucket4j(bucket4j, caller);
                benchmark.resilience4j(resilience4j, caller);
                benchmark.guava(guava, caller);
                benchmark.failsafe(failsafe, caller);
            }
            weir.close();
            watching.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void clusterRowsAreWhatTheySay(ClusterPeer peer) throws Exception {
        for (Outcome outcome : Outcome.values()) {
            ClusterBenchmark benchmark = new ClusterBenchmark();
            benchmark.outcome = outcome;
            benchmark.peer = peer;
            benchmark.make();
            Caller caller = new Caller();
            for (int i = 0; i < CALLS; i++) {
                benchmark.check(caller);
                benchmark.async(caller);
            }
            benchmark.drain();
            benchmark.stop();
            caller.requireFewStrays();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rowsOfManyKeysAreWhatTheySay(Outcome outcome) {
        ClusterBenchmark benchmark = new ClusterBenchmark();
        benchmark.outcome = outcome;
        benchmark.keys = ClusterBenchmark.Keys.UNIFORM;
        benchmark.make();
        Caller caller = new Caller();
        for (int i = 0; i < CALLS; i++) {
            benchmark.check(caller);
        }
        benchmark.stop();
        caller.requireFewStrays();
    }

    @ParameterizedTest
    @EnumSource
    void redisRowsAreWhatTheySay(Outcome outcome) throws Exception {
        assumeTrue(RedisServer.isInstalled(), "no redis-server on the PATH");
        for (ClusterBenchmark.Keys keys : ClusterBenchmark.Keys.values()) {
            RedisBenchmark benchmark = new RedisBenchmark();
            benchmark.outcome = outcome;
            benchmark.keys = keys;
            benchmark.make();
            Caller caller = new Caller();
            for (int i = 0; i < CALLS; i++) {
                benchmark.check(caller);
                benchmark.async(caller);
            }
            benchmark.drain();
            benchmark.stop();
        }
    }

    @Test
    void everyMemberOfASaturatedClusterGrants() {
        for (ClusterPeer peer : List.of(ClusterPeer.WEIR, ClusterPeer.WEIR_EXACT)) {
            SaturatedBenchmark benchmark = new SaturatedBenchmark();
            benchmark.peer = peer;
            benchmark.make();
            Caller caller = new Caller();
            for (int thread = 0; thread < 3; thread++) {
                SaturatedBenchmark.OnMember on = new SaturatedBenchmark.OnMember();
                on.joinAs(benchmark, thread);
                for (int i = 0; i < CALLS; i++) {
                    benchmark.check(on, caller);
                }
            }
            benchmark.stop();
            caller.requireFewStrays();
        }
    }

    @Test
    void aRowThatIsNotAnsweredFromWhereItSaysFails() {
        KeySequence sequence = KeySequence.uniform(List.of("client"));
        Caller caller = new Caller();
        for (int i = 0; i < 200; i++) {
            caller.nextKey(sequence);
        }
        for (int i = 0; i < 3; i++) {
            caller.strays().add(Source.CLUSTER);
        }
        caller.requireFewStrays();

        for (int i = 0; i < 4; i++) {
            caller.nextKey(sequence);
            caller.strays().add(Source.CLUSTER);
        }
        assertThatThrownBy(caller::requireFewStrays)
                .hasMessageContaining("4 of 4 answers")
                .hasMessageContaining("CLUSTER");
    }

    @Test
    void everyWayReachesTheOwner() throws Exception {
        OwnerCallBenchmark benchmark = new OwnerCallBenchmark();
        OwnerCallBenchmark.ThreadsStarted threads = new OwnerCallBenchmark.ThreadsStarted();
        threads.begin();
        try {
            for (int i = 0; i < CALLS; i++) {
                benchmark.oneExecuteOnKey(threads);
                benchmark.oneSubmitToKey(threads);
                benchmark.oneInternal(threads);
                benchmark.onePooled(threads);
                benchmark.manySubmitToKey(threads);
                benchmark.manySubmitToKeyCallerRuns(threads);
                benchmark.manyInternal(threads);
                benchmark.manyPooled(threads);
            }
            benchmark.drain();
        } finally {
            benchmark.stop();
        }
        assertThat(threads.calls).isEqualTo(8 * CALLS);
    }

    @Test
    void aCheckAndAPingCrossALongLink() throws Exception {
        RoundTripBenchmark benchmark = new RoundTripBenchmark();
        benchmark.linkMillis = 2;
        LinkBenchmark link = new LinkBenchmark();
        link.linkMillis = 2;
        link.connect();
        benchmark.make();
        try {
            for (int i = 0; i < CALLS; i++) {
                benchmark.check();
                link.ping();
            }
        } finally {
            benchmark.stop();
            link.disconnect();
        }
    }

    /** One list of flags in three forms: the parent POM's, that of forks, and the jar's manifest, which adds no modules. */
    @Test
    void everyJvmGetsTheFlagsThatHazelcastAsksFor() {
        List<String> flags = List.of(property("weir.bench.jvmFlags").split(" --"));

        assertThat(HazelcastFork.class.getAnnotation(Fork.class).jvmArgsAppend())
                .containsExactlyElementsOf(flags.stream()
                        .map(flag -> (flag.startsWith("--") ? flag : "--" + flag).replace(' ', '='))
                        .toList());
        assertThat(property("weir.bench.manifestExports").split(" "))
                .containsExactlyElementsOf(of("add-exports", flags));
        assertThat(property("weir.bench.manifestOpens").split(" ")).containsExactlyElementsOf(of("add-opens", flags));
    }

    private static List<String> of(String option, List<String> flags) {
        return flags.stream()
                .filter(flag -> flag.startsWith(option))
                .map(flag -> flag.substring(option.length() + 1).replace("=ALL-UNNAMED", ""))
                .toList();
    }

    private static String property(String name) {
        return Objects.requireNonNull(System.getProperty(name), name + " comes from the POM");
    }

    @Test
    void aRowOfTheOtherOutcomeFails() {
        assertThatThrownBy(() -> Outcome.GRANTED.expect(false)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Outcome.DENIED.expect(true)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aFailedCallFailsItsIteration() {
        InFlight inFlight = new InFlight();
        assertThatThrownBy(() -> {
                    inFlight.start();
                    inFlight.end(new IllegalStateException("denied"));
                    inFlight.drain();
                })
                .hasRootCauseMessage("denied");
    }
}
