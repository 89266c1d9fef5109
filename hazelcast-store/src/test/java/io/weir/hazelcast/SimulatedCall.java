package io.weir.hazelcast;

import io.weir.algorithm.Request;
import io.weir.algorithm.Verdict;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One call on its way: sent once, run as often as the network likes, ended once. */
final class SimulatedCall {

    private final SimulatedNode from;
    private final String key;
    private final byte[] written;
    private final BucketCall object;
    private final SimulatedWire.Said said;
    private final OwnerCalls.Callback callback;
    private @Nullable SimulatedOwner target;
    private long sentAtNanos;
    private long latestDecisionNanos;
    private long decidedAtNanos;
    private List<@Nullable Verdict> decided = List.of();
    private long decidedOrder;
    private int told;
    private int attempt;
    private boolean ended;

    SimulatedCall(SimulatedNode from, String key, BucketCall call, OwnerCalls.Callback callback) {
        this.from = from;
        this.key = key;
        this.object = call;
        this.written = SimulatedWire.written(call);
        this.said = SimulatedWire.Said.in(written);
        this.callback = callback;
    }

    SimulatedNode from() {
        return from;
    }

    String key() {
        return key;
    }

    SimulatedWire.Said said() {
        return said;
    }

    /** The call leaves its node. */
    void leaves(SimulatedOwner owner, UUID addressed) {
        sentAtNanos = from.jvm().begunAtNanos();
        long waitedFor = from.latestDeadlineNanos(key);
        // A call for the lease alone is given up by whoever comes to wait behind it, or when leases are looked after
        // next.
        boolean forLease = said.requests().isEmpty();
        long patience = HeldLease.TTL.toNanos() + from.tendingNanos();
        long latest = forLease ? Math.max(waitedFor, from.jvm().instantNanos() + patience) : waitedFor;
        if (key.startsWith(Probes.PREFIX)) {
            latest = Long.MAX_VALUE / 2; // nobody's permits
        }
        from.departed(key, latest, said.report() != null);
        latestDecisionNanos = latest + from.doubts().nanos(addressed);
        goTo(owner);
    }

    /** Not after the instant that the node takes for it: it may have been held up since. */
    long sentAtNanos() {
        return sentAtNanos;
    }

    /** Until when, in true time, it may be charged: its deadline, and what its node did not know of the owner's clock. */
    long latestDecisionNanos() {
        return latestDecisionNanos;
    }

    /** What an owner gets to run: the very object, again and again, if it is in the same JVM as the caller. */
    BucketCall at(SimulatedOwner owner) {
        return owner.jvm() == from.jvm() ? object : SimulatedWire.read(written, Wire.BUCKET_CALL, BucketCall.class);
    }

    /** How often Hazelcast has sent this call; it listens to the last attempt only. */
    int attempt() {
        return attempt;
    }

    void goTo(SimulatedOwner owner) {
        attempt++;
        if (target != null) {
            target.forget(this);
        }
        target = owner;
        owner.expect(this);
    }

    /**
     * A run has decided this call, rather than repeated an earlier decision.
     *
     * @param order of the first request's decision among all decisions; the others' follow
     */
    void decided(long nanos, List<@Nullable Verdict> verdicts, long order) {
        decidedAtNanos = nanos;
        decided = verdicts;
        decidedOrder = order;
    }

    /** When the decision was made, in true time. */
    long decidedAtNanos() {
        return decidedAtNanos;
    }

    /**
     * Where the grant of a request has its place among all decisions. Callers are told in the order in which they asked;
     * of two requests that are alike it does not matter which is which.
     *
     * @return -1 if no run has decided on such a request
     */
    long orderOf(Request request) {
        for (; told < decided.size(); told++) {
            boolean same = said.requests().get(told).request().equals(request);
            if (same && decided.get(told) == Verdict.GRANTED) {
                return decidedOrder + told++;
            }
        }
        return -1;
    }

    boolean isEnded() {
        return ended;
    }

    /** Tells the caller, the first time. */
    void end(@Nullable CallAnswer answer, @Nullable Throwable failure) {
        if (!ended) {
            ended = true;
            if (target != null) {
                target.forget(this);
            }
            callback.ended(answer, failure);
        }
    }

    @Override
    public String toString() {
        return from + "'s call " + said.number() + " on " + key;
    }
}
