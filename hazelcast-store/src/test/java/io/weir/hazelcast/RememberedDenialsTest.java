package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Algorithm.Kind;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Source;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a node remembers of a denial ends at the instant that the algorithm says, and after a second in any case. */
class RememberedDenialsTest {

    private static final long DEADLINE = 50_000_000;

    private final long seed = Long.getLong("weir.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    private final FakeOwners owners = new FakeOwners();
    private final Node node = new Node(
            new UUID(1, 1),
            () -> owners.nowNanos,
            owners,
            new OwnerClocks(() -> owners.nowNanos, () -> owners.nowNanos),
            Runnable::run,
            (completion, refused) -> completion.run(),
            new Deadlines(() -> owners.nowNanos),
            1_000);

    RememberedDenialsTest() {
        System.out.println("RememberedDenialsTest: replay with -Dweir.seed=" + seed);
    }

    private HazelcastBuckets buckets(Kind kind, Duration window) {
        Rule ten = new Rule(1, kind.with(List.of(Bandwidth.perWindow(10, window))));
        return new HazelcastBuckets(node, "limit", ten, Remembering.DENIALS);
    }

    private Answer take(HazelcastBuckets buckets, long permits) {
        CompletableFuture<Answer> answer = buckets.takeAsync("key", permits, DEADLINE);
        while (!owners.isIdle()) {
            owners.answerNext();
        }
        return answer.join();
    }

    private void pass(long nanos) {
        owners.nowNanos += nanos;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void endsAtTheInstantAtWhichTheSameIsGranted(Kind kind) {
        long window = Duration.ofMillis(500).toNanos();
        HazelcastBuckets buckets = buckets(kind, Duration.ofNanos(window));
        int denials = 0;
        for (int i = 0; i < 2_000; i++) {
            pass(random.nextLong(1L << random.nextInt(28)));
            long permits = random.nextLong(1, 11);
            Answer answer = take(buckets, permits);
            if (answer.verdict() == Verdict.GRANTED) {
                continue;
            }
            denials++;
            assertThat(answer.source()).as("the one before is over").isEqualTo(Source.CLUSTER);
            pass(answer.state().readyAtNanos(permits) - answer.nowNanos() - 1);
            int sent = owners.sent();
            Answer remembered = take(buckets, permits);
            assertThat(remembered.verdict()).isEqualTo(Verdict.DENIED);
            assertThat(remembered.source()).isEqualTo(Source.DENY_CACHE);
            assertThat(owners.sent()).as("calls").isEqualTo(sent);
            pass(1);
            assertThat(take(buckets, permits).verdict()).isEqualTo(Verdict.GRANTED);
        }
        assertThat(denials).isGreaterThan(100);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void endsAfterASecondInAnyCase(Kind kind) {
        HazelcastBuckets buckets = buckets(kind, Duration.ofDays(10_000));
        take(buckets, 10);
        assertThat(take(buckets, 10).source()).isEqualTo(Source.CLUSTER);
        pass(Denial.LONGEST.toNanos() - 1);
        assertThat(take(buckets, 10).source()).isEqualTo(Source.DENY_CACHE);
        pass(1);
        assertThat(take(buckets, 10).source()).isEqualTo(Source.CLUSTER);
    }
}
