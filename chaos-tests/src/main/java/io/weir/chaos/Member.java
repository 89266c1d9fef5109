package io.weir.chaos;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.internal.util.Clock;
import com.hazelcast.map.LocalMapStats;
import com.hazelcast.partition.PartitionService;
import io.weir.hazelcast.HazelcastStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * A process of the rig: one Hazelcast member or client, with a Weir store, that does as it is told on standard input and
 * answers on standard output, which no fault on the network touches. See {@link Verb} for the lines.
 *
 * <p>Ends when standard input does, and so with the JVM that started it, however that ends.
 */
final class Member {

    static final String OK = "OK";
    static final String FAILED = "FAILED";
    static final String TOLD = "TOLD";

    private final HazelcastInstance hazelcast;
    private final int number;
    private final PrintStream out;
    private final ExecutorService answering = Executors.newCachedThreadPool();
    private @Nullable Limiting limiting;

    private Member(HazelcastInstance hazelcast, int number, PrintStream out) {
        this.hazelcast = hazelcast;
        this.number = number;
        this.out = out;
    }

    /** Starts with a role, and the words of a {@link Place}. */
    public static void main(String[] args) throws IOException {
        PrintStream out = System.out;
        System.setOut(System.err); // standard output is for answers only, whatever a library prints
        Role role = Role.valueOf(args[0]);
        Place place = Place.read(List.of(args).subList(1, args.length));
        new Member(Instances.start(role, place), place.number(), out).serve();
        Runtime.getRuntime().halt(0); // no goodbye to the cluster: that would be something to ask for
    }

    private void serve() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            List<String> words = List.of(line.split(" "));
            String question = words.get(0);
            Verb verb = Verb.valueOf(words.get(1));
            answering.execute(() -> say(question, answer(question, verb, words.subList(2, words.size()))));
        }
    }

    private String answer(String question, Verb verb, List<String> words) {
        try {
            return OK + " " + decide(question, verb, words);
        } catch (Exception | LinkageError e) { // a class that is not on this class path is a LinkageError
            e.printStackTrace();
            return FAILED + " " + e;
        }
    }

    private Object decide(String question, Verb verb, List<String> words) throws Exception {
        return switch (verb) {
            case CLOCK -> System.nanoTime() + " " + Clock.currentTimeMillis();
            case IDENTITY -> hazelcast.getLocalEndpoint().getUuid();
            case MEMBERS -> hazelcast.getCluster().getMembers().size();
            case SAFE -> isSafe(hazelcast.getPartitionService());
            case ENTRIES -> entries();
            case LIMIT -> limiting().add(LimitWords.read(words));
            case OWNER -> limiting().ownerOf(words.get(0), words.get(1));
            case PEEK -> limiting().peek(words.get(0), words.get(1)).words();
            case HEALTH -> limiting().health(words.get(0));
            case COPIES -> limiting().copiesOf(words.get(0), words.get(1));
            case LOAD ->
                limiting()
                        .run(Load.read(words), number, outcome -> say(question, TOLD + " " + outcome.words()))
                        .words();
            case STOP -> limiting().stop();
            case WAITED ->
                limiting()
                        .waited(Long.parseLong(words.get(0)), Long.parseLong(words.get(1)))
                        .words();
            case LEAVE -> leave();
        };
    }

    private boolean leave() {
        hazelcast.shutdown();
        return true;
    }

    private static boolean isSafe(PartitionService partitions) {
        // A cluster that has not shared out its partitions yet has none that lacks a backup. Asking makes it do so.
        return partitions.getPartitions().stream().allMatch(each -> each.getOwner() != null)
                && partitions.isClusterSafe();
    }

    private long entries() {
        LocalMapStats stats =
                hazelcast.getMap(HazelcastStore.mapName(Instances.NAMESPACE)).getLocalMapStats();
        return stats.getOwnedEntryCount() + stats.getBackupEntryCount();
    }

    private synchronized Limiting limiting() {
        if (limiting == null) {
            limiting = new Limiting(hazelcast);
        }
        return limiting;
    }

    private void say(String question, String what) {
        synchronized (out) {
            out.println(question + " " + what);
            out.flush(); // at once: the next thing that happens to this process may be a kill
        }
    }
}
