package io.weir.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.ExtendedMapEntry;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One call of one node on one key: what travels to the owner, and what runs there on the partition thread.
 *
 * <p>It carries everything the owner needs, the rule included, so that the first touch of a key needs no call of its own.
 * It is decided at most once and never late:
 *
 * <ul>
 *   <li>its number is above all earlier numbers of its node. A number that the bucket remembers is answered as it was
 *       then, a smaller one is refused, since its node gave that call up before it sent the next;
 *   <li>each request has a deadline in the owner's time, and is left undecided after it (L15);
 *   <li>the same goes for what its node says of its lease, and would like to have (L11, L13);
 *   <li>a member that slept decides nothing until it knows that it is still the owner.
 * </ul>
 */
final class BucketCall extends Wire
        implements EntryProcessor<String, StoredBucket, CallAnswer>, HazelcastInstanceAware {

    private static final long serialVersionUID = 1L;

    private static final int TAKE = 0;
    private static final int GIVE_BACK = 1;
    private static final int CHARGE = 2;
    private static final int CHARGE_INTO_DEBT = 3;
    private static final int RESERVE = 4;

    /**
     * One request and its last moment.
     *
     * @param deadlineNanos on the owner's clock
     */
    record Timed(Request request, long deadlineNanos) {}

    private transient UUID node;
    private transient long number;
    private transient Rule rule;
    private transient List<Timed> requests;
    private transient @Nullable LeaseReport report;

    /** What is to be put right of earlier calls of the node. */
    private transient List<Correction> corrections;

    /** Until when, on the owner's clock. */
    private transient long correctUntilNanos;

    // While it runs on the owner:
    private transient @Nullable HazelcastInstance hazelcast;
    private transient @Nullable BucketBackup backup;

    /** @param report what the node says of its lease; null if it has none and wants none */
    BucketCall(UUID node, long number, Rule rule, List<Timed> requests, @Nullable LeaseReport report) {
        this(node, number, rule, requests, report, List.of(), 0);
    }

    /**
     * @param corrections what is to be put right of earlier calls of the node
     * @param correctUntilNanos until when, on the owner's clock
     */
    BucketCall(
            UUID node,
            long number,
            Rule rule,
            List<Timed> requests,
            @Nullable LeaseReport report,
            List<Correction> corrections,
            long correctUntilNanos) {
        this.node = node;
        this.number = number;
        this.rule = rule;
        this.requests = List.copyOf(requests);
        this.report = report;
        this.corrections = List.copyOf(corrections);
        this.correctUntilNanos = correctUntilNanos;
    }

    /** For reading from the wire. */
    @SuppressWarnings("NullAway.Init")
    BucketCall() {}

    @Override
    public void setHazelcastInstance(HazelcastInstance instance) {
        this.hazelcast = instance;
    }

    @Override
    public CallAnswer process(Map.Entry<String, StoredBucket> entry) {
        backup = null; // Hazelcast may run one and the same object again
        Owner owner = Owner.of(Objects.requireNonNull(hazelcast, "not injected"));
        if (!owner.isAwake()) {
            return CallAnswer.refused(CallAnswer.Outcome.NOT_OWNER, owner.uuid(), owner.nowNanos());
        }
        long now = owner.nowNanos();
        try {
            Rule part = owner.partOf(rule);
            return decide((ExtendedMapEntry<String, StoredBucket>) entry, part, owner.uuid(), now);
        } catch (RuntimeException e) { // a bug of ours, and to be told from Hazelcast's outages
            return CallAnswer.failed(owner.uuid(), now, e);
        }
    }

    /** @param part what is left of the rule while members are missing, or all of it */
    private CallAnswer decide(ExtendedMapEntry<String, StoredBucket> entry, Rule part, UUID owner, long now) {
        StoredBucket stored = entry.getValue();
        CallRecord last = stored == null ? null : stored.recordOf(node);
        if (stored != null && last != null && number <= last.number()) {
            return number == last.number()
                    ? repeated(stored, last, part, owner, now)
                    : CallAnswer.refused(CallAnswer.Outcome.SUPERSEDED, owner, now);
        }
        LeaseReport inTime = report != null && now <= report.deadlineNanos() ? report : null;
        boolean corrects = !corrections.isEmpty() && now <= correctUntilNanos;
        Settlement settled =
                Settlement.of(stored, last, part, inTime, corrects ? due(last) : List.of(), inTime(now), now);
        boolean partly = rule.strictPartitions()
                && !part.equals(rule)
                && settled.state().rule().equals(part);
        List<@Nullable Verdict> verdicts = verdicts(settled.verdicts(), partly, now);
        if (settled.changed() || corrects) { // what carries corrections is always recorded: see Correction
            CallRecord record = new CallRecord(
                    node,
                    number,
                    keepUntilNanos(last),
                    verdicts,
                    settled.lease(),
                    settled.held(),
                    settled.expiryNanos());
            StoredBucket next = StoredBucket.after(stored, settled.state(), record, settled.recallUntilNanos());
            long ttlSeconds = next.ttlSeconds(now);
            // One write for value and expiry: a plain setValue would erase the expiry.
            entry.setValue(next, ttlSeconds, TimeUnit.SECONDS);
            backup = new BucketBackup(next, ttlSeconds);
        }
        return CallAnswer.decided(
                owner,
                now,
                verdicts,
                settled.state(),
                settled.lease(),
                settled.lentElsewhere(),
                settled.recallUntilNanos() > settled.state().atNanos());
    }

    private List<Request> due(@Nullable CallRecord last) {
        List<Request> due = new ArrayList<>(corrections.size());
        for (Correction each : corrections) {
            Request one = each.due(last);
            if (one != null) {
                due.add(one);
            }
        }
        return due;
    }

    /** What was answered the first time, and how the bucket stands now. */
    private CallAnswer repeated(StoredBucket stored, CallRecord last, Rule part, UUID owner, long now) {
        // Once more: this answer, too, must not come before the backup has what it tells of.
        backup = new BucketBackup(stored, stored.ttlSeconds(now));
        State standing = stored.stateAt(part, now);
        long at = standing.atNanos();
        return CallAnswer.decided(
                owner,
                now,
                last.verdicts(),
                standing,
                last.lease(),
                stored.lentAt(at) - last.heldAt(at),
                stored.recallUntilNanos() > at);
    }

    /** None unless something was written, now or for a repeated call: a denial costs no backup (I4). The backup gets the result, not the work. */
    @Override
    public @Nullable EntryProcessor<String, StoredBucket, CallAnswer> getBackupProcessor() {
        return backup;
    }

    private List<Request> inTime(long now) {
        List<Request> inTime = new ArrayList<>(requests.size());
        for (Timed each : requests) {
            if (now <= each.deadlineNanos()) {
                inTime.add(each.request());
            }
        }
        return inTime;
    }

    /**
     * A verdict for each request; none for what was not in time.
     *
     * @param partly whether they were decided by a part of the rule: more than that holds is not too much for ever
     */
    private List<@Nullable Verdict> verdicts(List<Verdict> inTime, boolean partly, long now) {
        Iterator<Verdict> decided = inTime.iterator();
        List<@Nullable Verdict> verdicts = new ArrayList<>(requests.size());
        for (Timed each : requests) {
            Verdict verdict = now <= each.deadlineNanos() ? decided.next() : null;
            boolean passes = partly
                    && verdict == Verdict.NEVER
                    && each.request().permits() <= rule.algorithm().smallestCapacity();
            verdicts.add(passes ? Verdict.DENIED : verdict);
        }
        return Collections.unmodifiableList(verdicts);
    }

    /**
     * A retry after the latest deadline is refused for being late; but not by an owner whose clock is behind. This record
     * also refuses the retries of the call before, whose deadline may be later than this one's.
     */
    private long keepUntilNanos(@Nullable CallRecord last) {
        long latest = Math.max(
                report == null ? Long.MIN_VALUE : report.deadlineNanos(),
                corrections.isEmpty() ? Long.MIN_VALUE : correctUntilNanos);
        for (Timed each : requests) {
            latest = Math.max(latest, each.deadlineNanos());
        }
        long keep = latest + Owner.CLOCK_DISAGREEMENT_NANOS;
        return last == null ? keep : Math.max(keep, last.keepUntilNanos());
    }

    @Override
    public int getClassId() {
        return BUCKET_CALL;
    }

    @Override
    void write(FrameWriter out) {
        out.putUuid(node);
        out.putLong(number);
        out.putRule(rule);
        out.putShort(requests.size());
        for (Timed each : requests) {
            out.putByte(kind(each.request()));
            out.putLong(each.request().permits());
            out.putLong(each.deadlineNanos());
            if (each.request() instanceof Request.Charge charge && charge.mostDebt() > 0) {
                out.putLong(charge.mostDebt());
            } else if (each.request() instanceof Request.Reserve reserve) {
                out.putLong(reserve.longestWaitNanos());
            }
        }
        out.putLeaseReport(report);
        if (!corrections.isEmpty()) { // as before there were any, for who does not know them
            out.putCorrections(corrections);
            out.putLong(correctUntilNanos);
        }
    }

    private static int kind(Request request) {
        if (request instanceof Request.GiveBack) {
            return GIVE_BACK;
        }
        if (request instanceof Request.Charge charge) {
            return charge.mostDebt() > 0 ? CHARGE_INTO_DEBT : CHARGE;
        }
        return request instanceof Request.Reserve ? RESERVE : TAKE;
    }

    private static Request request(int kind, long permits, FrameReader in) {
        return switch (kind) {
            case TAKE -> new Request.Take(permits);
            case GIVE_BACK -> new Request.GiveBack(permits);
            case CHARGE -> new Request.Charge(permits);
            case CHARGE_INTO_DEBT -> new Request.Charge(permits, in.getLong());
            case RESERVE -> new Request.Reserve(permits, in.getLong());
            default ->
                throw new HazelcastSerializationException("this version of Weir does not know requests of kind " + kind
                        + ": upgrade this node before others use it");
        };
    }

    @Override
    void read(FrameReader in) {
        node = in.getUuid();
        number = in.getLong();
        rule = in.getRule();
        int count = in.getShort();
        List<Timed> read = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int kind = in.getByte();
            long permits = in.getLong();
            long deadlineNanos = in.getLong();
            read.add(new Timed(request(kind, permits, in), deadlineNanos));
        }
        requests = List.copyOf(read);
        report = in.getLeaseReport();
        corrections = in.hasMore() ? in.getCorrections() : List.of();
        correctUntilNanos = corrections.isEmpty() ? 0 : in.getLong();
    }
}
