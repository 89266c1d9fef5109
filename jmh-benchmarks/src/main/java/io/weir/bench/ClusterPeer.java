package io.weir.bench;

import io.github.bucket4j.distributed.proxy.optimization.DelayParameters;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.weir.hazelcast.HazelcastStore;
import io.weir.store.Source;
import java.time.Duration;
import java.util.List;

/** Who can be asked in a row on a cluster. */
public enum ClusterPeer {

    /** Weir as it comes: a key that is asked for often is answered from memory, granted and denied. */
    WEIR("Weir") {
        @Override
        Asked on(LoopbackCluster cluster, HazelcastStore store, Outcome outcome, List<String> keys) {
            return new AskedWeir(store, outcome.limit(LIMIT), keys.size() == 1 ? hotKeySource(outcome) : null);
        }
    },

    /** Weir with a limit that has the owner decide each grant; checks that meet on a key leave together. */
    WEIR_EXACT("Weir exact") {
        @Override
        Asked on(LoopbackCluster cluster, HazelcastStore store, Outcome outcome, List<String> keys) {
            return new AskedWeir(store, outcome.exactLimit(LIMIT), exactSource(outcome));
        }
    },

    /** A processor written by hand, with none of the guarantees. */
    PROCESSOR("processor") {
        @Override
        Asked on(LoopbackCluster cluster, HazelcastStore store, Outcome outcome, List<String> keys) {
            return new AskedProcessor(cluster, outcome.bandwidth());
        }
    },

    /** bucket4j as it comes, except that its serializers are registered, which it does not ask for. */
    BUCKET4J("bucket4j") {
        @Override
        Asked on(LoopbackCluster cluster, HazelcastStore store, Outcome outcome, List<String> keys) {
            return new AskedBucket4j(cluster, outcome.bandwidth(), keys, Optimization.NONE_OPTIMIZED);
        }
    },

    /** bucket4j where calls that meet on a key leave together: exact. */
    BUCKET4J_BATCHING("bucket4j batching") {
        @Override
        Asked on(LoopbackCluster cluster, HazelcastStore store, Outcome outcome, List<String> keys) {
            return new AskedBucket4j(cluster, outcome.bandwidth(), keys, Optimizations.batching());
        }
    },

    /** bucket4j that grants up to a thousand permits before it asks: each node may grant as many too many. */
    BUCKET4J_DELAYING("bucket4j delaying") {
        @Override
        Asked on(LoopbackCluster cluster, HazelcastStore store, Outcome outcome, List<String> keys) {
            DelayParameters delay = new DelayParameters(1_000, Duration.ofSeconds(1));
            return new AskedBucket4j(cluster, outcome.bandwidth(), keys, Optimizations.delaying(delay));
        }
    };

    static final String LIMIT = "benchmark";

    private final String text;

    ClusterPeer(String text) {
        this.text = text;
    }

    /** How it is called in tables. */
    String text() {
        return text;
    }

    /** Somebody who can be asked for each of some keys. */
    abstract Asked on(LoopbackCluster cluster, HazelcastStore store, Outcome outcome, List<String> keys);

    private static Source hotKeySource(Outcome outcome) {
        return outcome == Outcome.GRANTED ? Source.LEASE : Source.DENY_CACHE;
    }

    /** A denial holds until its time is over, so that it is exact to remember it. */
    private static Source exactSource(Outcome outcome) {
        return outcome == Outcome.GRANTED ? Source.CLUSTER : Source.DENY_CACHE;
    }
}
