package io.weir.bench;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What of the heap is reachable, to the byte: HotSpot's histogram of classes, for which it collects all garbage first. What
 * a collector counts as used goes by whole regions, and cannot tell what it is.
 *
 * @param bytes of all objects
 * @param tableBytes of those that are arrays of references: a hash map's table never shrinks, whatever leaves the map
 * @param instances how many of each class, by its name
 */
record LiveHeap(long bytes, long tableBytes, Map<String, Long> instances) {

    private static final Pattern ROW = Pattern.compile("(?m)^ *\\d+: +(\\d+) +(\\d+) +(\\S+)");
    private static final Pattern TOTAL = Pattern.compile("(?m)^Total +\\d+ +(\\d+)");

    private static final int MOST_COLLECTIONS = 10;
    private static final long STABLE_BYTES = 16 * 1_024;

    /** At this instant. */
    static LiveHeap now() {
        String histogram = histogram();
        Map<String, Long> instances = new HashMap<>();
        long tableBytes = 0;
        for (MatchResult row : ROW.matcher(histogram).results().toList()) {
            instances.merge(row.group(3), Long.parseLong(row.group(1)), Long::sum);
            tableBytes += row.group(3).startsWith("[L") ? Long.parseLong(row.group(2)) : 0;
        }
        MatchResult total = TOTAL.matcher(histogram)
                .results()
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("not a histogram of the heap: " + histogram));
        return new LiveHeap(Long.parseLong(total.group(1)), tableBytes, instances);
    }

    /** Once collecting does not change it any more: what is freed may have kept something else. */
    static LiveHeap settled() {
        LiveHeap before = now();
        for (int i = 1; i < MOST_COLLECTIONS; i++) {
            LiveHeap after = now();
            if (Math.abs(before.bytes - after.bytes) < STABLE_BYTES) {
                return after;
            }
            before = after;
        }
        return before;
    }

    long instancesOf(String className) {
        return instances.getOrDefault(className, 0L);
    }

    /** By how many bytes the heap has grown, for each of some. */
    double bytesSince(LiveHeap before, long each) {
        return (double) (bytes - before.bytes) / each;
    }

    /** By how many bytes the heap has grown, other than by tables. */
    long bytesBesideTablesSince(LiveHeap before) {
        return bytes - tableBytes - (before.bytes - before.tableBytes);
    }

    private static String histogram() {
        try {
            return (String) ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "gcClassHistogram",
                            new Object[] {new String[0]},
                            new String[] {String[].class.getName()});
        } catch (JMException e) {
            throw new IllegalStateException("this JVM does not say what is on its heap", e);
        }
    }
}
