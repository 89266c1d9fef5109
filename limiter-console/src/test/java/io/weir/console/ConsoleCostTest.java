package io.weir.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.weir.FailurePolicy;
import io.weir.KeyWatch;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.store.LocalStore;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a console costs its node, in processor time of the one thread that works for it: with a thousand limits, each asked by many keys, a
 * million in all. The figures are in {@code docs/console.md}; the bound here is wider, since other tests run beside this one.
 */
@Timeout(300)
class ConsoleCostTest {

    private static final int LIMITS = 1_000;
    private static final int KEYS = 1_000_000;

    @Test
    void costsAtMostTwoPercentOfACoreHoweverManyLook() {
        ConsoleMeters meters = ConsoleMeters.create();
        Weir.Builder builder = Weir.over(LocalStore.create()).meters(meters).watchKeys(KeyWatch.create());
        IntStream.range(0, LIMITS)
                .forEach(i -> builder.limit(Limit.named("limit-" + i, FailurePolicy.DENY)
                        .bandwidth(Bandwidth.of(100, 100, Duration.ofSeconds(1)))
                        .build()));
        try (Weir weir = builder.build()) {
            SplittableRandom random = new SplittableRandom(1);
            for (int i = 0; i < KEYS; i++) {
                weir.limiter("limit-" + random.nextInt(LIMITS)).tryAcquire("client-" + i);
            }
            for (int viewers : new int[] {0, 1, 50}) {
                Cost cost = new Cost(weir, meters, viewers);
                System.out.printf(
                        "console, %d limits, %,d keys, %d viewers: %.2f ms of processor time and %,d bytes a second, of which %.2f ms"
                                + " are the note's; note %,d bytes, answer %,d bytes%n",
                        LIMITS,
                        KEYS,
                        viewers,
                        cost.millis(),
                        cost.bytes(),
                        cost.noteMillis(),
                        cost.noteBytes,
                        cost.answerBytes);
                assertThat(cost.millis()).isLessThan(viewers == 0 ? 1 : 20);
            }
        }
    }

    /** Of seconds that are run one after the other, without waiting for them: the median. */
    private static final class Cost {
        private static final int WARM_UP = 20;
        private static final int SECONDS = 30;

        private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        private final long[] nanos = new long[SECONDS];
        private final long[] noteNanos = new long[SECONDS];
        private final long[] allocated = new long[SECONDS];
        private int noteBytes;
        private int answerBytes;

        Cost(Weir weir, ConsoleMeters meters, int viewers) {
            Watching watching = new Watching(weir, meters, "n1", KeyMask.none(), false, List::of);
            SplittableRandom random = new SplittableRandom(2);
            long now = Duration.ofHours(1).toNanos();
            for (int second = -WARM_UP; second < SECONDS; second++) {
                for (int i = 0; i < 10_000; i++) {
                    weir.limiter("limit-" + random.nextInt(LIMITS)).tryAcquire("client-" + random.nextInt(KEYS));
                }
                now += Notes.SECOND;
                long bytesBefore = threads.getCurrentThreadAllocatedBytes();
                long before = threads.getCurrentThreadCpuTime();
                if (viewers > 0) {
                    watching.viewed(now);
                }
                watching.look(now);
                long noted = threads.getCurrentThreadCpuTime();
                Snapshot snapshot = watching.together(now, TestNode.DATE);
                // Two of three look at the usual list, and the others for something each.
                for (int i = 0; snapshot != null && i < viewers; i++) {
                    DataQuery query = i % 3 > 0 ? DataQuery.of(null) : DataQuery.of("limits=50&filter=" + i);
                    if (i < 2 || i % 3 == 0) {
                        answerBytes = SnapshotJson.bytes(snapshot, query).length;
                    }
                }
                if (second >= 0) {
                    nanos[second] = threads.getCurrentThreadCpuTime() - before;
                    noteNanos[second] = noted - before;
                    allocated[second] = threads.getCurrentThreadAllocatedBytes() - bytesBefore;
                }
                if (second == SECONDS - 1 && viewers > 0) {
                    noteBytes = NoteWriter.bytes(new NoteMaker(weir, meters, "n1", KeyMask.none(), false).note(1, now))
                            .length;
                }
            }
        }

        double millis() {
            return median(nanos) / 1e6;
        }

        double noteMillis() {
            return median(noteNanos) / 1e6;
        }

        long bytes() {
            return median(allocated);
        }

        private static long median(long[] values) {
            long[] sorted = values.clone();
            Arrays.sort(sorted);
            return sorted[sorted.length / 2];
        }
    }
}
