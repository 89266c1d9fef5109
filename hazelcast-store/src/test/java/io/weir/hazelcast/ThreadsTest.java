package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What runs on which thread, and that none is started for a call. */
@Timeout(60)
class ThreadsTest {

    private static final long DEADLINE = TimeUnit.SECONDS.toNanos(30);
    private static final int CALLS = 10_000;

    /** The courier, the deadlines, a continuation for each processor, and what the JVM itself may start meanwhile. */
    private static final int A_FIXED_FEW = 12 + Runtime.getRuntime().availableProcessors();

    private static TestCluster cluster;

    @BeforeAll
    static void start() {
        cluster = TestCluster.of(2);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void startsNoThreadForACall() throws InterruptedException {
        try (HazelcastStore store = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE)) {
            Buckets buckets = store.buckets("no-threads", Rules.rule(CALLS, 1, Duration.ofDays(365)));
            long before = ManagementFactory.getThreadMXBean().getTotalStartedThreadCount();
            Semaphore inFlight = new Semaphore(64);
            Set<Verdict> verdicts = ConcurrentHashMap.newKeySet();
            for (int i = 0; i < CALLS; i++) {
                inFlight.acquire();
                var unused = buckets.takeAsync("key" + i % 500, 1, DEADLINE).whenComplete((answer, failure) -> {
                    verdicts.add(answer.verdict());
                    inFlight.release();
                });
            }
            inFlight.acquire(64);
            long started = ManagementFactory.getThreadMXBean().getTotalStartedThreadCount() - before;

            System.out.println("ThreadsTest: " + CALLS + " asynchronous calls on "
                    + Runtime.getRuntime().availableProcessors() + " processors started " + started + " threads");
            assertThat(verdicts).containsExactly(Verdict.GRANTED);
            assertThat(started).isLessThanOrEqualTo(A_FIXED_FEW);
        }
    }

    @Test
    void continuationsRunOnThreadsOfOursWhoeverOwnsTheKey() {
        try (HazelcastStore store = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE)) {
            Buckets buckets = store.buckets("continuations", Rules.THOUSAND);
            Set<String> threads = threadsOfContinuations(buckets, 500);
            assertThat(threads).isNotEmpty().allMatch(name -> name.startsWith("weir-continuation-"));
        }
    }

    @Test
    void continuationsRunOnTheUsersExecutor() throws InterruptedException {
        ExecutorService users = Executors.newSingleThreadExecutor(task -> new Thread(task, "users-own"));
        try (HazelcastStore store = HazelcastStore.builder(cluster.member(0), TestCluster.NAMESPACE)
                .continuations(users)
                .join()) {
            Buckets buckets = store.buckets("users", Rules.THOUSAND);
            Set<String> threads = threadsOfContinuations(buckets, 100);

            assertThat(threads).containsExactly("users-own");
        } finally {
            users.shutdown();
            assertThat(users.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Waiting in continuations for each other's results starves nobody, no more than calls that block do. */
    @Test
    void continuationsMayJoinOtherCalls() {
        try (HazelcastStore store = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE)) {
            Buckets buckets = store.buckets("joining", Rules.THOUSAND);
            List<CompletableFuture<Answer>> all = IntStream.range(0, 64)
                    .mapToObj(i -> buckets.takeAsync("first" + i, 1, DEADLINE)
                            .thenApply(answer ->
                                    buckets.takeAsync("second" + i, 1, DEADLINE).join()))
                    .toList();

            assertThat(all.stream().map(CompletableFuture::join).map(Answer::verdict))
                    .hasSize(64)
                    .containsOnly(Verdict.GRANTED);
        }
    }

    /** By name, the threads that continuations ran on, but for the one that added them. */
    private static Set<String> threadsOfContinuations(Buckets buckets, int calls) {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        CompletableFuture.allOf(IntStream.range(0, calls)
                        .mapToObj(i -> buckets.takeAsync("key" + i, 1, DEADLINE)
                                .thenAccept(answer ->
                                        threads.add(Thread.currentThread().getName())))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
        // A future that is complete when a continuation is added runs it on the thread that adds it.
        threads.remove(Thread.currentThread().getName());
        return threads;
    }
}
