package io.weir.algorithm;

/**
 * The state of a {@link LeakyBucket}: of each bandwidth how much room there is in its queue.
 *
 * <p>A queue is idle while there is room for its whole capacity. The level of a bandwidth is its capacity then, and zero
 * otherwise.
 */
public final class QueueState implements State {

    private final Rule rule;
    private final BucketState room;

    /** For this package. */
    QueueState(Rule rule, BucketState room) {
        this.rule = rule;
        this.room = room;
    }

    /**
     * A state read back from wherever it was kept.
     *
     * @param rule a rule of a {@link LeakyBucket}
     * @param atNanos the instant it is valid at
     * @param rooms whole permits and fraction of the room in the queue of each of the rule's bandwidths in turn
     * @throws IllegalArgumentException as {@link BucketState#restore}
     */
    public static QueueState restore(Rule rule, long atNanos, long... rooms) {
        if (!(rule.algorithm() instanceof LeakyBucket leaky)) {
            throw new IllegalArgumentException("not the rule of a leaky bucket: " + rule);
        }
        return new QueueState(rule, BucketState.restore(leaky.roomRule(), atNanos, rooms));
    }

    @Override
    public Rule rule() {
        return rule;
    }

    @Override
    public long atNanos() {
        return room.atNanos();
    }

    @Override
    public long level(int bandwidth) {
        long capacity = rule.algorithm().bandwidths().get(bandwidth).capacity();
        return room.level(bandwidth) == capacity ? capacity : 0;
    }

    @Override
    public long readyAtNanos(int bandwidth, long permits) {
        return permits <= level(bandwidth)
                ? atNanos()
                : room.readyAtNanos(
                        bandwidth, rule.algorithm().bandwidths().get(bandwidth).capacity());
    }

    @Override
    public long usableAtNanos(long permits, long later) {
        long latest = atNanos();
        for (int i = 0; i < rule.algorithm().bandwidths().size(); i++) {
            long capacity = rule.algorithm().bandwidths().get(i).capacity();
            latest = Math.max(latest, room.readyAtNanos(i, capacity - permits - later)); // who came before has left
        }
        return latest;
    }

    /** What is still queued, besides themselves, when they may be used. */
    @Override
    public long reservedBehind(long permits, long usableAtNanos) {
        BucketState then = room.bucket().advance(room, 0, Math.max(atNanos(), usableAtNanos));
        long behind = 0;
        for (int i = 0; i < rule.algorithm().bandwidths().size(); i++) {
            long queued = rule.algorithm().bandwidths().get(i).capacity() - then.level(i);
            behind = Math.max(behind, queued - permits);
        }
        return behind;
    }

    /** What the queues have room for, as the balance of a token bucket: its rule is not {@link #rule()}. */
    public BucketState room() {
        return room;
    }

    /** Whether every queue is empty. */
    boolean isIdle() {
        for (int i = 0; i < rule.algorithm().bandwidths().size(); i++) {
            if (level(i) == 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other == this || (other instanceof QueueState that && rule.equals(that.rule) && room.equals(that.room));
    }

    @Override
    public int hashCode() {
        return 31 * rule.hashCode() + room.hashCode();
    }

    @Override
    public String toString() {
        return "QueueState[" + rule + ", room " + room + "]";
    }
}
