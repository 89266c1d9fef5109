package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Bandwidth;
import io.weir.store.LocalStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Waiting for permits leaves the carrier of a virtual thread to others. There are none before Java 21. */
class VirtualThreadsTest {

    private static final int THREADS = 500;

    @TempDir
    private Path folder;

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void waitingPinsNone() throws Exception {
        AtomicInteger granted = new AtomicInteger();
        Weir weir = Weir.over(LocalStore.create())
                .limit(Limit.named("api", FailurePolicy.DENY)
                        .bandwidth(Bandwidth.of(1, 1_000, Duration.ofSeconds(1)))
                        .build())
                .build();
        Path events = folder.resolve("events.jfr");
        try (weir;
                Recording recording = new Recording()) {
            recording
                    .enable("jdk.VirtualThreadPinned")
                    .withThreshold(Duration.ZERO)
                    .withStackTrace();
            recording.enable("jdk.VirtualThreadEnd");
            Limiter api = weir.limiter("api");
            recording.start();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                threads.add(startVirtual(() -> {
                    try {
                        granted.addAndGet(
                                api.acquire("key", 1, Duration.ofMinutes(1)).granted() ? 1 : 0);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            recording.stop();
            recording.dump(events);
        }

        List<RecordedEvent> recorded = RecordingFile.readAllEvents(events);
        assertThat(granted).hasValue(THREADS);
        assertThat(recorded)
                .as("events were recorded")
                .filteredOn(each -> each.getEventType().getName().equals("jdk.VirtualThreadEnd"))
                .hasSizeGreaterThanOrEqualTo(THREADS);
        assertThat(recorded)
                .filteredOn(each -> each.getEventType().getName().equals("jdk.VirtualThreadPinned"))
                .noneMatch(VirtualThreadsTest::isOurs);
    }

    /** Whoever waits while the JVM loads a class is pinned by that, which happens once. */
    private static boolean isOurs(RecordedEvent pinned) {
        List<String> types = pinned.getStackTrace() == null
                ? List.of()
                : pinned.getStackTrace().getFrames().stream()
                        .map(frame -> frame.getMethod().getType().getName())
                        .toList();
        return types.stream().anyMatch(each -> each.startsWith("io.weir"))
                && types.stream().noneMatch(each -> each.contains("ClassLoader"));
    }

    /** What the API of Java 17 does not have. */
    private static Thread startVirtual(Runnable task) throws ReflectiveOperationException {
        return (Thread)
                Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
    }
}
