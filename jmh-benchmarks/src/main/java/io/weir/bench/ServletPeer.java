package io.weir.bench;

import com.hazelcast.core.HazelcastInstance;

/** Whose servlet filter stands before an application. */
public enum ServletPeer {

    /** Nobody's. */
    NONE("", "") {
        @Override
        LimitingFilter on(HazelcastInstance hazelcast, Outcome outcome) {
            return LimitingFilter.NONE;
        }
    },

    /** Weir's, as it comes: all fields are sent, and what is asked for often is decided from memory. */
    WEIR("Weir", WeirFilter.LIMIT + ':') {
        @Override
        LimitingFilter on(HazelcastInstance hazelcast, Outcome outcome) {
            return new WeirFilter(hazelcast, outcome);
        }
    },

    /** That of bucket4j's Spring Boot starter. */
    BUCKET4J("bucket4j", Bucket4jFilter.URL + '-') {
        @Override
        LimitingFilter on(HazelcastInstance hazelcast, Outcome outcome) {
            return new Bucket4jFilter(hazelcast, outcome.bandwidth());
        }
    };

    /** The path that is asked for. */
    static final String PATH = "/api/orders/4711";

    /** The field of a request that says who asks. */
    static final String KEY_FIELD = "X-API-Key";

    private final String text;
    private final String keyPrefix;

    ServletPeer(String text, String keyPrefix) {
        this.text = text;
        this.keyPrefix = keyPrefix;
    }

    /** How it is called in tables. */
    String text() {
        return text;
    }

    /** What it puts in front of a key before it looks for the key's owner. */
    String keyPrefix() {
        return keyPrefix;
    }

    /** A filter under which requests for {@link #PATH} have an outcome, once their key has been asked for. */
    abstract LimitingFilter on(HazelcastInstance hazelcast, Outcome outcome);
}
