package io.weir.hazelcast;

import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What an owner answers to a {@link BucketCall}. Every answer, refusals included, carries the owner's time (L14). */
final class CallAnswer extends Wire {

    /** How an owner took a call. Its code on the wire is its place in {@link #OUTCOMES}: add at the end only. */
    enum Outcome {
        /** The requests that were in time are decided. */
        DECIDED,

        /** A later call of the same node was there before: this one has been given up, and charged nothing. */
        SUPERSEDED,

        /** This member slept, and does not know yet whether it is still the owner. Charged nothing. */
        NOT_OWNER,

        /** A bug of ours: deciding threw an exception. Charged nothing. */
        FAILED
    }

    private static final List<Outcome> OUTCOMES =
            List.of(Outcome.DECIDED, Outcome.SUPERSEDED, Outcome.NOT_OWNER, Outcome.FAILED);

    private Outcome outcome;
    private UUID owner;
    private long ownerNanos;

    /** The verdict of each request, in order; a request that came after its deadline has none. Empty unless decided. */
    private List<@Nullable Verdict> verdicts;

    /** The bucket after the last request, as of {@link #ownerNanos}; null unless decided. */
    private @Nullable State state;

    /** What became of the node's lease; null unless decided, and unless the node spoke of it in time. */
    private @Nullable LeaseAnswer lease;

    /** What is lent to other nodes; zero unless decided. */
    private long lentElsewhere;

    /** Whether what is lent is asked back (L16). */
    private boolean recalled;

    /** What a failure was; empty unless failed. */
    private String problem;

    private CallAnswer(
            Outcome outcome,
            UUID owner,
            long ownerNanos,
            List<@Nullable Verdict> verdicts,
            @Nullable State state,
            @Nullable LeaseAnswer lease,
            long lentElsewhere,
            boolean recalled,
            String problem) {
        this.outcome = outcome;
        this.owner = owner;
        this.ownerNanos = ownerNanos;
        this.verdicts = verdicts;
        this.state = state;
        this.lease = lease;
        this.lentElsewhere = lentElsewhere;
        this.recalled = recalled;
        this.problem = problem;
    }

    /** For reading from the wire. */
    @SuppressWarnings("NullAway.Init")
    CallAnswer() {}

    static CallAnswer decided(
            UUID owner,
            long ownerNanos,
            List<@Nullable Verdict> verdicts,
            State state,
            @Nullable LeaseAnswer lease,
            long lentElsewhere,
            boolean recalled) {
        return new CallAnswer(Outcome.DECIDED, owner, ownerNanos, verdicts, state, lease, lentElsewhere, recalled, "");
    }

    static CallAnswer refused(Outcome why, UUID owner, long ownerNanos) {
        return new CallAnswer(why, owner, ownerNanos, List.of(), null, null, 0, false, "");
    }

    static CallAnswer failed(UUID owner, long ownerNanos, RuntimeException problem) {
        return new CallAnswer(Outcome.FAILED, owner, ownerNanos, List.of(), null, null, 0, false, problem.toString());
    }

    String problem() {
        return problem;
    }

    Outcome outcome() {
        return outcome;
    }

    UUID owner() {
        return owner;
    }

    long ownerNanos() {
        return ownerNanos;
    }

    List<@Nullable Verdict> verdicts() {
        return verdicts;
    }

    @Nullable
    State state() {
        return state;
    }

    @Nullable
    LeaseAnswer lease() {
        return lease;
    }

    long lentElsewhere() {
        return lentElsewhere;
    }

    boolean recalled() {
        return recalled;
    }

    @Override
    public int getClassId() {
        return CALL_ANSWER;
    }

    @Override
    void write(FrameWriter out) {
        out.putByte(OUTCOMES.indexOf(outcome));
        out.putUuid(owner);
        out.putLong(ownerNanos);
        out.putVerdicts(verdicts);
        if (state != null) {
            out.putState(state);
            out.putLeaseAnswer(lease);
            out.putLong(lentElsewhere);
            out.putByte(recalled ? 1 : 0);
        }
        if (outcome == Outcome.FAILED) {
            out.putText(problem);
        }
    }

    @Override
    void read(FrameReader in) {
        outcome = OUTCOMES.get(in.getByte());
        owner = in.getUuid();
        ownerNanos = in.getLong();
        verdicts = in.getVerdicts();
        if (outcome == Outcome.DECIDED) {
            state = in.getState();
            lease = in.getLeaseAnswer();
            lentElsewhere = in.getLong();
            recalled = in.getByte() != 0;
        }
        problem = outcome == Outcome.FAILED ? in.getText() : "";
    }
}
