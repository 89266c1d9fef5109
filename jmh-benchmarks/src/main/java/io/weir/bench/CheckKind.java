package io.weir.bench;

import com.hazelcast.map.IMap;
import io.weir.Limit;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.hazelcast.HazelcastStore;
import io.weir.store.Source;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What a check can be, by what it costs on the network if both owner and backup of its key are other members than the
 * caller.
 */
public enum CheckKind {

    /** No check of Weir's: the processor that it is measured by. The first, since nodes renew leases for a while beside what comes after them. */
    RAW("raw processor", 1.5) {
        @Override
        Check on(LoopbackCluster cluster, HazelcastStore store) {
            IMap<String, TakeTokenProcessor.Tokens> tokens = cluster.map("tokens");
            String key = cluster.remoteKeys(1, prefix()).get(0);
            return () -> Outcome.GRANTED.expect(
                    tokens.executeOnKey(key, new TakeTokenProcessor(Outcome.GRANTED.bandwidth())));
        }
    },

    /** Of a key that nobody has asked for before: caller, owner, backup, caller. */
    FIRST_TOUCH("exact, first touch", 1.5) {
        @Override
        Check on(LoopbackCluster cluster, HazelcastStore store) {
            Iterator<String> keys = cluster.remoteKeys(MANY_KEYS, prefix()).iterator();
            return new LimiterCheck(
                    limiter(store, exact(Outcome.GRANTED)), keys::next, Outcome.GRANTED, Source.CLUSTER);
        }
    },

    /** Of a key that is in use: the same way. */
    EXACT("exact", 1.5) {
        @Override
        Check on(LoopbackCluster cluster, HazelcastStore store) {
            return oneKey(cluster, store, exact(Outcome.GRANTED), Outcome.GRANTED, Source.CLUSTER);
        }
    },

    /** Denied by the owner, of a key that another member has drained: caller, owner, caller. */
    DENIED("denied by the owner", 1) {
        @Override
        Check on(LoopbackCluster cluster, HazelcastStore store) {
            Limit limit = exact(Outcome.DENIED);
            List<String> keys = cluster.remoteKeys(MANY_KEYS, prefix());
            try (HazelcastStore other = HazelcastStore.join(cluster.members().get(0), ClusterBenchmark.NAMESPACE)) {
                Limiter elsewhere = limiter(other, limit);
                CompletableFuture.allOf(
                                keys.stream().map(elsewhere::tryAcquireAsync).toArray(CompletableFuture[]::new))
                        .join();
            }
            return new LimiterCheck(limiter(store, limit), keys.iterator()::next, Outcome.DENIED, Source.CLUSTER);
        }
    },

    /** From permits that the caller holds already; it asks for more beside its callers' path, once for many of them. */
    LEASED("leased", 0) {
        @Override
        Check on(LoopbackCluster cluster, HazelcastStore store) {
            return oneKey(cluster, store, Outcome.GRANTED.limit(name()), Outcome.GRANTED, Source.LEASE);
        }
    },

    /** From a denial that the caller remembers. */
    REMEMBERED("denied from memory", 0) {
        @Override
        Check on(LoopbackCluster cluster, HazelcastStore store) {
            return oneKey(cluster, store, Outcome.DENIED.limit(name()), Outcome.DENIED, Source.DENY_CACHE);
        }
    };

    /** More than a run touches. */
    private static final int MANY_KEYS = 2_000;

    private final String text;
    private final double roundTrips;

    CheckKind(String text, double roundTrips) {
        this.text = text;
        this.roundTrips = roundTrips;
    }

    /** Checks of this kind, ready to be made. */
    abstract Check on(LoopbackCluster cluster, HazelcastStore store);

    /** How many times a caller waits for a link, there and back. */
    double roundTrips() {
        return roundTrips;
    }

    @Override
    public String toString() {
        return text;
    }

    /** What a key of the limit has in front of it in the map. */
    String prefix() {
        return name() + ':';
    }

    Limit exact(Outcome outcome) {
        return outcome.exactLimit(name());
    }

    private static Limiter limiter(HazelcastStore store, Limit limit) {
        return Weir.over(store).limit(limit).build().limiter(limit.name());
    }

    private static LimiterCheck oneKey(
            LoopbackCluster cluster, HazelcastStore store, Limit limit, Outcome outcome, Source source) {
        Limiter limiter = limiter(store, limit);
        String key = cluster.remoteKeys(1, limit.name() + ':').get(0);
        limiter.tryAcquire(key); // drains it, if it holds a single permit
        return new LimiterCheck(limiter, () -> key, outcome, source).warmedUp();
    }
}
