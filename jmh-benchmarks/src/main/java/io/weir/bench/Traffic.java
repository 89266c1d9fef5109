package io.weir.bench;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.internal.metrics.MetricDescriptor;
import com.hazelcast.internal.metrics.collectors.MetricsCollector;
import java.util.HashMap;
import java.util.Map;

/**
 * What a cluster has had to do so far, by Hazelcast's own counters.
 *
 * @param operations operations that the caller invoked
 * @param answers answers that came to the caller over the network
 * @param backups backups that were acknowledged to the caller over the network
 * @param packets packets that all members sent to each other
 */
record Traffic(long operations, long answers, long backups, long packets) {

    static Traffic of(LoopbackCluster cluster) {
        Counters caller = Counters.of(cluster.caller());
        long packets = cluster.members().stream()
                .map(Counters::of)
                .mapToLong(member -> member.get("tcp.connection.out.normalFramesWritten")
                        + member.get("tcp.connection.out.priorityFramesWritten"))
                .sum();
        return new Traffic(
                caller.get("operation.invocations.lastCallId"),
                caller.get("operation.responses.normalCount"),
                caller.get("operation.responses.backupCount"),
                packets);
    }

    Traffic since(Traffic before) {
        return new Traffic(
                operations - before.operations,
                answers - before.answers,
                backups - before.backups,
                packets - before.packets);
    }

    /** Of one member, summed up where it counts each connection apart. */
    private static final class Counters implements MetricsCollector {
        private final Map<String, Long> values = new HashMap<>();

        static Counters of(HazelcastInstance member) {
            Counters counters = new Counters();
            ((HazelcastInstanceProxy) member)
                    .getOriginal()
                    .node
                    .getNodeEngine()
                    .getMetricsRegistry()
                    .collect(counters);
            return counters;
        }

        long get(String name) {
            Long value = values.get(name);
            if (value == null) {
                throw new IllegalStateException("Hazelcast counts no " + name + " but " + values.keySet());
            }
            return value;
        }

        @Override
        public void collectLong(MetricDescriptor descriptor, long value) {
            values.merge(descriptor.prefix() + "." + descriptor.metric(), value, Long::sum);
        }

        @Override
        public void collectDouble(MetricDescriptor descriptor, double value) {}

        @Override
        public void collectException(MetricDescriptor descriptor, Exception e) {}

        @Override
        public void collectNoValue(MetricDescriptor descriptor) {}
    }
}
