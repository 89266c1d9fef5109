package io.weir.bench;

import java.util.Collections;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** What benchmarks of an application share that has somebody's filter before it, on a cluster unless that is nobody's. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH has subclasses start first
public abstract class LimitedApplication extends HazelcastFork {

    /** Held, since a logger that nobody holds forgets its level. */
    private static final Logger TOMCAT_LOGGER = Logger.getLogger("org.apache");

    private static final int OK = 200;
    private static final int TOO_MANY_REQUESTS = 429;

    /** How every request is answered. */
    @Param
    public Outcome outcome = Outcome.GRANTED;

    /** Whose filter it is. */
    @Param
    public ServletPeer peer = ServletPeer.WEIR;

    private @Nullable LoopbackCluster cluster;
    private LimitingFilter limiting;

    final void start() {
        TOMCAT_LOGGER.setLevel(Level.WARNING);
        LoopbackCluster members = peer == ServletPeer.NONE ? null : new LoopbackCluster();
        cluster = members;
        limiting = members == null ? LimitingFilter.NONE : peer.on(members.caller(), outcome);
    }

    final void end() {
        limiting.close();
        if (cluster != null) {
            cluster.close();
        }
    }

    final LimitingFilter limiting() {
        return limiting;
    }

    /** Keys that a request can carry. */
    final List<String> keys(int count, Owner owner) {
        if (cluster == null) {
            return Collections.nCopies(count, "client");
        }
        return owner == Owner.CALLER
                ? cluster.ownKeys(count, peer.keyPrefix())
                : cluster.remoteKeys(count, peer.keyPrefix());
    }

    /**
     * Judges an answer.
     *
     * @throws IllegalStateException if it is not the one that this row is about
     */
    final void expect(int status) {
        if (status != OK && status != TOO_MANY_REQUESTS) {
            throw new IllegalStateException("a request was answered with " + status);
        }
        outcome.expect(status == OK);
    }
}
