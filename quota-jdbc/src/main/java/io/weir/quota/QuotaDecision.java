package io.weir.quota;

import io.weir.algorithm.Verdict;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one request, for all of its charges: all were granted, or none was. What could not be known is absent: a failure
 * policy knows of no balance. Immutable.
 */
public final class QuotaDecision {

    /** Where a decision came from. */
    public enum Source {
        /** The database. */
        LEDGER,
        /** This node, which remembers that the quota is exhausted; up to a second old. */
        MEMORY,
        /** The failure policy, since the database did not answer by the deadline. */
        POLICY
    }

    private final Verdict verdict;
    private final Source source;
    private final boolean replay;
    private final List<Balance> balances;
    private final List<Charge> denied;
    private final @Nullable Instant resetsAt;
    private final @Nullable Reservation reservation;
    private final @Nullable Instant expiresAt;

    QuotaDecision(
            Verdict verdict,
            Source source,
            boolean replay,
            List<Balance> balances,
            List<Charge> denied,
            @Nullable Instant resetsAt,
            @Nullable Reservation reservation,
            @Nullable Instant expiresAt) {
        this.verdict = verdict;
        this.source = source;
        this.replay = replay;
        this.balances = List.copyOf(balances);
        this.denied = List.copyOf(denied);
        this.resetsAt = resetsAt;
        this.reservation = reservation;
        this.expiresAt = expiresAt;
    }

    static QuotaDecision byPolicy(boolean granted, List<Charge> charges) {
        return new QuotaDecision(
                granted ? Verdict.GRANTED : Verdict.DENIED,
                Source.POLICY,
                false,
                List.of(),
                granted ? List.of() : charges,
                null,
                null,
                null);
    }

    /**
     * {@link Verdict#GRANTED}; {@link Verdict#DENIED} where there is no room now; {@link Verdict#NEVER} where one charge is more than its
     * cap and what credit is left together, so that no reset would help.
     */
    public Verdict verdict() {
        return verdict;
    }

    /** Whether all charges were granted. */
    public boolean isGranted() {
        return verdict == Verdict.GRANTED;
    }

    /** Where the decision came from. */
    public Source source() {
        return source;
    }

    /** Whether this is the answer that the same request got before, so that nothing was moved now. */
    public boolean isReplay() {
        return replay;
    }

    /** How each key stands after this, in the order of the charges; of a replay, how it stood then. Empty unless the ledger answered. */
    public List<Balance> balances() {
        return balances;
    }

    /** The charges that there is no room for, in the order of the request; empty if it was granted. */
    public List<Charge> denied() {
        return denied;
    }

    /** When the last of the quotas that deny resets; absent if none does, if no reset would help, or if it is not known. */
    public Optional<Instant> resetsAt() {
        return Optional.ofNullable(resetsAt);
    }

    /** What {@link QuotaOperations#reserve} put aside; absent if it did not, or if it is not known to have. */
    public Optional<Reservation> reservation() {
        return Optional.ofNullable(reservation);
    }

    /** The instant from which on what is put aside counts as free again; absent where nothing is. */
    public Optional<Instant> expiresAt() {
        return Optional.ofNullable(expiresAt);
    }

    @Override
    public String toString() {
        return "QuotaDecision[" + verdict + " by " + source + (replay ? ", replay" : "") + "]";
    }
}
