package io.weir.bench;

import io.weir.Limit;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.store.LocalStore;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What an idle key costs in a local store, and what is left of it once it is full again and swept away.
 *
 * <p>The store's clock stands still, so that no key is full before it is measured, and then moves on by a second.
 */
final class LocalKeyMemory {

    private static final String BUCKET = "io.weir.store.PackedCell";

    private static final long SECOND_NANOS = 1_000_000_000;

    /** What else happens to be made meanwhile, once for all keys. */
    private static final long SLACK_BYTES = 1_024 * 1_024;

    private final MemoryPlan plan;
    private final MemoryReport report;
    private final AtomicLong nowNanos = new AtomicLong();

    LocalKeyMemory(MemoryPlan plan, MemoryReport report) {
        this.plan = plan;
        this.report = report;
    }

    void measure() throws InterruptedException {
        Limit limit = plan.limit("local");
        String[] keys = new String[plan.keys()];
        try (Weir weir = Weir.over(LocalStore.create(nowNanos::get, keys.length))
                .limit(limit)
                .build()) {
            Limiter limiter = weir.limiter(limit.name());
            limiter.peek("warm-up"); // creates nothing
            LiveHeap empty = LiveHeap.settled();
            Arrays.setAll(keys, DistinctKeys::key);
            LiveHeap strings = LiveHeap.settled();
            fill(limiter, keys, empty, strings);
            nowNanos.addAndGet(SECOND_NANOS);
            awaitSwept(empty, strings);
        } finally {
            Reference.reachabilityFence(keys); // or the strings would go with the buckets
        }
    }

    private void fill(Limiter limiter, String[] keys, LiveHeap empty, LiveHeap strings) {
        for (String key : keys) {
            if (!limiter.tryAcquire(key).granted()) {
                throw new IllegalStateException("a key that was never asked for was denied");
            }
        }
        LiveHeap full = LiveHeap.settled();
        long buckets = full.instancesOf(BUCKET) - empty.instancesOf(BUCKET);
        if (buckets != keys.length) {
            throw new IllegalStateException(keys.length + " keys made " + buckets + " buckets");
        }
        double bytes = full.bytesSince(strings, keys.length);
        report.say(
                "local: an idle key takes %.0f bytes, %.0f with its string (%,d keys)",
                bytes, bytes + strings.bytesSince(empty, keys.length), keys.length);
    }

    private void awaitSwept(LiveHeap empty, LiveHeap strings) throws InterruptedException {
        long before = empty.instancesOf(BUCKET);
        report.awaitNone("local buckets", () -> LiveHeap.now().instancesOf(BUCKET) - before, plan.patience());
        LiveHeap swept = LiveHeap.settled();
        long beside = swept.bytesBesideTablesSince(strings);
        report.say(
                "local: swept, %.1f bytes are left for each key, in the table that held them; %,d bytes elsewhere",
                swept.bytesSince(strings, plan.keys()), beside);
        report.requireAtMost(SLACK_BYTES, beside, "bytes of the local store");
    }
}
