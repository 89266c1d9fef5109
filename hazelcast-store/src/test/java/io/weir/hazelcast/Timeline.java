package io.weir.hazelcast;

import io.weir.store.NanoClock;
import java.util.PriorityQueue;

/**
 * The true time of a simulation, and what is going to happen in it. Things that happen at the same instant happen in the
 * order in which they were planned, so that a run depends on nothing but its seed.
 */
final class Timeline implements NanoClock {

    private record Event(long atNanos, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return atNanos != other.atNanos ? Long.compare(atNanos, other.atNanos) : Long.compare(order, other.order);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long nowNanos;
    private long planned;

    @Override
    public long nanoTime() {
        return nowNanos;
    }

    /** Plans something, now at the earliest. */
    void at(long nanos, Runnable action) {
        events.add(new Event(Math.max(nanos, nowNanos), planned++, action));
    }

    void after(long delayNanos, Runnable action) {
        at(nowNanos + delayNanos, action);
    }

    /** Lets everything happen up to an instant, and that instant come. */
    void runUntil(long nanos) {
        for (Event next = events.peek(); next != null && next.atNanos() <= nanos; next = events.peek()) {
            events.remove();
            nowNanos = next.atNanos();
            next.action().run();
        }
        nowNanos = Math.max(nowNanos, nanos);
    }
}
