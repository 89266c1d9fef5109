package io.weir.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Owners that run the real processor when, and as often as, a test says. Calls wait here until they are run, and answers
 * until they are delivered.
 */
final class FakeOwners implements OwnerCalls {

    static final UUID OWNER = new UUID(9, 9);
    static final UUID OTHER_OWNER = new UUID(8, 8);

    /** A call on its way. */
    record Sent(String key, BucketCall call, Callback callback) {}

    private final Deque<Sent> underWay = new ArrayDeque<>();
    private final Map<String, FakeEntry> entries = new HashMap<>();
    private final HazelcastInstance member;
    private int sent;

    /** The owner's clock, which the node does not know. */
    long nowNanos = 1_000_000_000_000L;

    /** Between the departure of a call and its sending. */
    Runnable whileOwnerIsLookedUp = () -> {};

    /** Who owns the keys that do not say otherwise, and who answers. */
    UUID owner = OWNER;

    UUID answering = OWNER;

    /** Thrown instead of looking up an owner, if it is set. */
    @Nullable
    RuntimeException lost;

    /** Thrown instead of sending, if it is set. */
    @Nullable
    Error refusal;

    FakeOwners() {
        ConcurrentMap<String, Object> context = new ConcurrentHashMap<>();
        member = (HazelcastInstance) Proxy.newProxyInstance(
                FakeOwners.class.getClassLoader(),
                new Class<?>[] {HazelcastInstance.class},
                (proxy, method, arguments) -> context); // nothing but getUserContext is called
        Owner.install(member, new Owner(() -> answering, () -> nowNanos, () -> true));
    }

    /** A key that says so belongs to another owner. */
    @Override
    public Route to(String key) {
        whileOwnerIsLookedUp.run();
        if (lost != null) {
            throw lost;
        }
        return new Route(
                key.contains("other") ? OTHER_OWNER : owner,
                Math.floorMod(key.hashCode(), 271),
                (call, callback) -> send(new Sent(key, call, callback)));
    }

    private void send(Sent call) {
        if (refusal != null) {
            throw refusal;
        }
        sent++;
        underWay.add(call);
    }

    /** How many calls were sent so far. */
    int sent() {
        return sent;
    }

    /** Takes the oldest call that is under way. */
    Sent next() {
        return underWay.remove();
    }

    boolean isIdle() {
        return underWay.isEmpty();
    }

    /** Runs a call on the owner, without delivering its answer. */
    CallAnswer run(Sent sent) {
        sent.call().setHazelcastInstance(member);
        return sent.call().process(entry(sent.key()));
    }

    /** Runs the oldest call and delivers its answer. */
    void answerNext() {
        Sent next = next();
        next.callback().ended(run(next), null);
    }

    /** Fails the oldest call without running it. */
    void failNext(Throwable failure) {
        next().callback().ended(null, failure);
    }

    FakeEntry entry(String key) {
        return entries.computeIfAbsent(key, any -> new FakeEntry());
    }
}
