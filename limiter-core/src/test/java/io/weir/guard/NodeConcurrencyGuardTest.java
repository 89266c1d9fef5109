package io.weir.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.MicrometerMeters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

class NodeConcurrencyGuardTest {

    private final NodeConcurrencyGuard guard =
            NodeConcurrencyGuard.named("reports", 3).perKey(2).build();

    @Test
    void letsAsManyRunAsMayForAllKeysAndForEach() {
        Slot first = guard.tryEnter("ann");
        assertThat(first.entered()).isTrue();
        assertThat(guard.tryEnter("ann").entered()).isTrue();
        assertThat(guard.tryEnter("ann").entered()).as("two for a key").isFalse();
        assertThat(guard.tryEnter("bob").entered()).isTrue();
        assertThat(guard.tryEnter("cid").entered()).as("three altogether").isFalse();
        assertThat(guard.shed()).isEqualTo(2);

        first.close();
        assertThat(guard.tryEnter("cid").entered()).isTrue();
        assertThat(guard.inFlight()).isEqualTo(3);
    }

    @Test
    void keepsTheKeysOfCallsThatRunAndNoOthers() {
        for (int i = 0; i < 10_000; i++) {
            guard.tryEnter("key-" + i).close();
        }
        assertThat(guard.keys()).isZero();

        List<Slot> running = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            running.add(guard.tryEnter("key-" + i));
        }
        assertThat(guard.keys()).isEqualTo(3);

        running.forEach(Slot::close);
        assertThat(guard.keys()).isZero();
        assertThat(guard.inFlight()).isZero();
    }

    @Test
    void callsWhatHasRoom() throws Exception {
        assertThat(guard.<String>call("ann", () -> "done by " + guard.inFlight()))
                .isEqualTo("done by 1");
        assertThat(guard.inFlight()).isZero();
        assertThatThrownBy(() -> guard.call("ann", () -> {
                    throw new java.io.IOException("broken");
                }))
                .isInstanceOf(java.io.IOException.class);
        assertThat(guard.inFlight()).isZero();
    }

    @Test
    void throwsWhereThereIsNoRoom() {
        guard.tryEnter("ann");
        guard.tryEnter("ann");

        assertThatExceptionOfType(NodeBusyException.class)
                .isThrownBy(() -> guard.call("ann", () -> "done"))
                .withMessage("guard \"reports\" lets no further call in on this node, retry after PT5S")
                .satisfies(busy -> {
                    assertThat(busy.retryAfter()).isEqualTo(Duration.ofSeconds(5));
                    assertThat(busy.getStackTrace()).isEmpty();
                });
        assertThat(guard.inFlight()).isEqualTo(2);
    }

    @Test
    void anAsynchronousCallRunsUntilItsStageCompletes() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletionStage<String> returned = guard.callAsync("ann", () -> work);
        assertThat(guard.inFlight()).isEqualTo(1);

        returned.toCompletableFuture().cancel(true);
        assertThat(guard.inFlight())
                .as("the work goes on, whoever waits for it")
                .isEqualTo(1);

        work.complete("done");
        assertThat(guard.inFlight()).isZero();
    }

    @Test
    void anAsynchronousCallThatFailsGivesItsPlaceBack() {
        CompletionStage<String> failed =
                guard.callAsync("ann", () -> CompletableFuture.failedFuture(new IllegalStateException("broken")));
        assertThat(failed.toCompletableFuture()).isCompletedExceptionally();
        assertThatThrownBy(() -> guard.callAsync("ann", () -> {
                    throw new IllegalStateException("at once");
                }))
                .hasMessage("at once");

        assertThat(guard.inFlight()).isZero();
        assertThat(guard.keys()).isZero();
    }

    @Test
    void anAsynchronousCallWithoutRoomFailsAndIsNotMade() {
        guard.tryEnter("ann");
        guard.tryEnter("ann");

        CompletionStage<String> refused = guard.callAsync("ann", () -> {
            throw new AssertionError("called");
        });

        assertThat(refused.toCompletableFuture())
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                .withCauseInstanceOf(NodeBusyException.class);
    }

    /** Of each key and of all together; and afterwards nothing is left. */
    @Test
    void countsExactlyUnderConcurrency() throws Exception {
        int threads = 8;
        AtomicIntegerArray inside = new AtomicIntegerArray(3);
        AtomicIntegerArray most = new AtomicIntegerArray(3);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int key = i % 2;
                all.add(pool.submit(() -> {
                    for (int j = 0; j < 20_000; j++) {
                        try (Slot slot = guard.tryEnter("key-" + key)) {
                            if (slot.entered()) {
                                most.accumulateAndGet(key, inside.incrementAndGet(key), Math::max);
                                most.accumulateAndGet(2, inside.incrementAndGet(2), Math::max);
                                inside.decrementAndGet(2);
                                inside.decrementAndGet(key);
                            }
                        }
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            pool.shutdownNow();
        }

        assertThat(most.get(0)).isBetween(1, 2);
        assertThat(most.get(1)).isBetween(1, 2);
        assertThat(most.get(2)).isBetween(1, 3);
        assertThat(guard.inFlight()).isZero();
        assertThat(guard.keys()).isZero();
    }

    @Test
    void isMetered() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        NodeConcurrencyGuard metered = NodeConcurrencyGuard.named("exports", 1)
                .meters(MicrometerMeters.in(registry))
                .build();
        metered.tryEnter("ann");
        metered.tryEnter("bob");

        assertThat(registry.get("weir.guard.in.flight")
                        .tags("guard", "exports")
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThat(registry.get("weir.guard.shed")
                        .tags("guard", "exports")
                        .functionCounter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void refusesNumbersThatMakeNoGuard() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NodeConcurrencyGuard.named("reports", 0))
                .withMessage("calls of guard \"reports\" must be at least 1 but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NodeConcurrencyGuard.named("reports", 3).perKey(4))
                .withMessage("perKey of guard \"reports\" must be at most 3, as many as may run for all keys together,"
                        + " but is 4");
    }
}
