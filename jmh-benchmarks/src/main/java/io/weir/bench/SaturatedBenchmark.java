package io.weir.bench;

import io.weir.Limit;
import io.weir.hazelcast.HazelcastStore;
import io.weir.store.Source;
import java.util.List;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * What three members decide together that all ask as fast as they can, for ten thousand keys by Zipf's law: with leases,
 * and with none.
 */
@Threads(24)
@SuppressWarnings("NullAway.Init") // JMH calls make first
public class SaturatedBenchmark extends OnCluster {

    private static final int MANY_KEYS = 10_000;

    /** Who is asked: {@link ClusterPeer#WEIR} or {@link ClusterPeer#WEIR_EXACT}. */
    @Param({"WEIR", "WEIR_EXACT"})
    public ClusterPeer peer = ClusterPeer.WEIR_EXACT;

    private List<HazelcastStore> stores;
    private List<Asked> asked;
    private KeySequence sequence;

    /** Joins with every member. */
    @Setup
    public void make() {
        boolean exact = peer == ClusterPeer.WEIR_EXACT;
        Limit limit = exact ? Outcome.GRANTED.exactLimit(ClusterPeer.LIMIT) : Outcome.GRANTED.limit(ClusterPeer.LIMIT);
        stores = cluster.members().stream()
                .map(member -> HazelcastStore.join(member, ClusterBenchmark.NAMESPACE))
                .toList();
        asked = stores.stream()
                .<Asked>map(store -> new AskedWeir(store, limit, exact ? Source.CLUSTER : null))
                .toList();
        sequence = KeySequence.zipf(
                IntStream.range(0, MANY_KEYS).mapToObj(i -> "client-" + i).toList());
    }

    /** Stops what was started. */
    @TearDown
    public void stop() {
        stores.forEach(HazelcastStore::close);
        cluster.close();
    }

    @Benchmark
    public boolean check(OnMember on, Caller caller) {
        return Outcome.GRANTED.expect(on.asked.tryAcquire(caller.nextKey(sequence), caller));
    }

    /** A thread on one of the members. */
    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH calls join first
    public static class OnMember {
        private Asked asked;

        /** Puts the same number of threads on each. */
        @Setup
        public void join(SaturatedBenchmark row, ThreadParams threads) {
            joinAs(row, threads.getThreadIndex());
        }

        void joinAs(SaturatedBenchmark row, int thread) {
            asked = row.asked.get(thread % row.asked.size());
        }
    }
}
