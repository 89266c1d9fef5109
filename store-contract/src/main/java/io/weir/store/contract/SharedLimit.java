package io.weir.store.contract;

import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One limit on all nodes, asked in turn: no two calls in a row go to the same node, so that whatever a test sees of a
 * balance, it sees across nodes. Thread-safe.
 */
final class SharedLimit {

    /** Longer than any pause of a machine under test: what is tested here is never an outage. */
    static final long DEADLINE_NANOS = Duration.ofSeconds(30).toNanos();

    private static final AtomicLong NAMES = new AtomicLong();

    private final String name = "contract-" + NAMES.incrementAndGet();
    private final List<Store> stores;
    private final List<Buckets> nodes;
    private final AtomicInteger turn = new AtomicInteger();

    SharedLimit(List<Store> stores, Rule rule) {
        this.stores = stores;
        this.nodes = stores.stream().map(store -> store.buckets(name, rule)).toList();
    }

    String name() {
        return name;
    }

    /** The buckets as one node sees them. */
    Buckets node(int index) {
        return nodes.get(index);
    }

    /** The buckets as the node sees them whose turn it is. */
    Buckets next() {
        return nodes.get(Math.floorMod(turn.getAndIncrement(), nodes.size()));
    }

    /** The buckets that a node hands out when it is asked for them again. */
    Buckets reopened(int index, Rule rule) {
        return stores.get(index).buckets(name, rule);
    }

    Answer take(String key, long permits) {
        return next().take(key, permits, DEADLINE_NANOS);
    }

    Verdict verdict(String key, long permits) {
        return take(key, permits).verdict();
    }

    Answer peek(String key) {
        return take(key, 0);
    }

    /** Whole permits in the first bandwidth. */
    long remaining(String key) {
        return peek(key).state().level(0);
    }

    /** How many of several requests for one permit are granted, one after the other. */
    long grantedOf(int requests, String key) {
        long granted = 0;
        for (int i = 0; i < requests; i++) {
            granted += verdict(key, 1) == Verdict.GRANTED ? 1 : 0;
        }
        return granted;
    }

    Answer giveBack(String key, long permits) {
        return decide(key, List.of(new Request.GiveBack(permits))).get(0);
    }

    Answer charge(String key, long permits) {
        return decide(key, List.of(new Request.Charge(permits))).get(0);
    }

    List<Answer> decide(String key, List<Request> requests) {
        return next().decide(key, requests, DEADLINE_NANOS).join();
    }

    /** Changes the rule on every node. */
    void change(Rule rule) {
        nodes.forEach(node -> node.change(rule));
    }
}
