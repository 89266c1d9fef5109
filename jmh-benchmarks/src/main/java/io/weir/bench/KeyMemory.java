package io.weir.bench;

import java.io.PrintStream;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * What a key costs in memory, and whether any of it is left once nobody asks for the key any more: in a local store, in
 * the entries of a cluster, and on a node that asks one.
 *
 * <pre>
 * java -Xmx3g -cp jmh-benchmarks/target/benchmarks.jar io.weir.bench.KeyMemory [--keys N] [--quick]
 * </pre>
 *
 * <p>Prints a line for each figure and, last, whether anything was left behind. Ends with 1 if so. A million keys, of which
 * there are as many if nobody says otherwise, take a few minutes; with {@code --quick} it asks for some thousands.
 *
 * <p>All members of the cluster are in this JVM, so that figures of its heap are of owner and backup together. Bytes are
 * those of this JVM's layout of objects, which differs beyond 32 GB of heap.
 */
public final class KeyMemory {

    /** Would say that this JVM lacks flags which Hazelcast asks for. They matter for speed; this JVM counts. */
    private static final Logger STARTING = Logger.getLogger("com.hazelcast.instance.impl.HazelcastInstanceFactory");

    private KeyMemory() {}

    /**
     * Measures.
     *
     * @param args {@code --keys N} for another number of keys, {@code --quick} for few
     */
    public static void main(String[] args) throws InterruptedException {
        STARTING.setLevel(Level.SEVERE);
        System.exit(run(MemoryPlan.of(args), System.out));
    }

    /**
     * Measures, and prints what is found.
     *
     * @return what a process that has found this out ends with
     */
    static int run(MemoryPlan plan, PrintStream out) throws InterruptedException {
        MemoryReport report = new MemoryReport(out);
        new LocalKeyMemory(plan, report).measure();
        try (LoopbackCluster cluster = LoopbackCluster.expiring()) {
            new EntryMemory(cluster, plan, report).measure();
            new ClusterFlood(cluster, plan, report).measure();
        }
        return report.judge();
    }
}
