package io.weir.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.IExecutorService;
import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/** One question to the other members, all at once. */
final class Poll {

    private static final String EXECUTOR = "weir-membership";

    private final NanoClock clock = NanoClock.monotonic();
    private final Map<UUID, Future<Boolean>> answers;

    private Poll(Map<UUID, Future<Boolean>> answers) {
        this.answers = answers;
    }

    /**
     * Asks.
     *
     * @param whom of the other members
     * @throws RuntimeException if Hazelcast does not ask, as while it shuts down
     */
    static Poll of(HazelcastInstance member, Predicate<Member> whom, Callable<Boolean> question) {
        IExecutorService executor = member.getExecutorService(EXECUTOR);
        Map<UUID, Future<Boolean>> answers = new LinkedHashMap<>();
        for (Member each : member.getCluster().getMembers()) {
            if (!each.localMember() && whom.test(each)) {
                answers.put(each.getUuid(), executor.submitToMember(question, each));
            }
        }
        return new Poll(answers);
    }

    /** Whether all of them said yes within {@code patience}. */
    boolean awaitAll(Duration patience) {
        return await(patience, yes -> yes.size() == answers.size());
    }

    /** Whether enough of them said yes within {@code patience}, which is for all together, however many are silent. */
    boolean await(Duration patience, Predicate<Set<UUID>> enough) {
        long giveUpNanos = clock.nanoTime() + patience.toNanos();
        Set<UUID> yes = new HashSet<>();
        for (Map.Entry<UUID, Future<Boolean>> each : answers.entrySet()) {
            if (enough.test(yes)) {
                return true;
            }
            if (isYes(each.getValue(), giveUpNanos - clock.nanoTime())) {
                yes.add(each.getKey());
            }
        }
        return enough.test(yes);
    }

    private static boolean isYes(Future<Boolean> answer, long patienceNanos) {
        try {
            return answer.get(Math.max(0, patienceNanos), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return false; // silence and refusal are no yes
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
