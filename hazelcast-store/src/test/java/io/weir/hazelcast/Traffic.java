package io.weir.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.internal.metrics.MetricDescriptor;
import com.hazelcast.internal.metrics.collectors.MetricsCollector;
import java.util.HashMap;
import java.util.Map;

/**
 * What a member that calls has had to do with others, by Hazelcast's own counters.
 *
 * @param operations operations that it invoked
 * @param answers answers that came to it over the network
 * @param backups backups that were acknowledged to it over the network
 */
record Traffic(long operations, long answers, long backups) {

    static Traffic of(HazelcastInstance caller) {
        Counters counters = new Counters();
        ((HazelcastInstanceProxy) caller)
                .getOriginal()
                .node
                .getNodeEngine()
                .getMetricsRegistry()
                .collect(counters);
        return new Traffic(
                counters.get("operation.invocations.lastCallId"),
                counters.get("operation.responses.normalCount"),
                counters.get("operation.responses.backupCount"));
    }

    Traffic since(Traffic before) {
        return new Traffic(operations - before.operations, answers - before.answers, backups - before.backups);
    }

    private static final class Counters implements MetricsCollector {
        private final Map<String, Long> values = new HashMap<>();

        long get(String name) {
            Long value = values.get(name);
            if (value == null) {
                throw new AssertionError("Hazelcast counts no " + name + " but " + values.keySet());
            }
            return value;
        }

        @Override
        public void collectLong(MetricDescriptor descriptor, long value) {
            values.put(descriptor.prefix() + "." + descriptor.metric(), value);
        }

        @Override
        public void collectDouble(MetricDescriptor descriptor, double value) {}

        @Override
        public void collectException(MetricDescriptor descriptor, Exception e) {}

        @Override
        public void collectNoValue(MetricDescriptor descriptor) {}
    }
}
