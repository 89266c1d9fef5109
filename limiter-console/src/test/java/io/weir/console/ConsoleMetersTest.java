package io.weir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.FailurePolicy;
import io.weir.Meters;
import io.weir.algorithm.Verdict;
import io.weir.store.LeaseCounts;
import io.weir.store.OwnerHealth;
import io.weir.store.Source;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class ConsoleMetersTest {

    @Test
    void countsEveryVerdictAndSource() {
        ConsoleMeters meters = ConsoleMeters.create();
        Meters.OfLimit limit = meters.of("one", FailurePolicy.DENY);
        int times = 0;
        for (Verdict verdict : Verdict.values()) {
            for (Source source : Source.values()) {
                times++;
                for (int i = 0; i < times; i++) {
                    limit.decided(verdict, source);
                }
            }
        }
        Tally tally = meters.tally("one");
        assertThat(List.of(tally.granted(), tally.denied(), tally.never())).containsExactly(36L, 100L, 164L);
        assertThat(tally.asked()).isEqualTo(300);
        assertThat(tally.bySource()).containsExactly(27, 30, 33, 36, 39, 42, 45, 48);
        assertThat(meters.tally("another").asked()).isZero();
    }

    @Test
    void goesOnCountingALimitThatIsDefinedAgain() {
        ConsoleMeters meters = ConsoleMeters.create();
        meters.of("one", FailurePolicy.DENY).decided(Verdict.GRANTED, Source.LOCAL);
        meters.of("one", FailurePolicy.DENY).decided(Verdict.GRANTED, Source.LOCAL);
        assertThat(meters.tally("one").granted()).isEqualTo(2);
    }

    @Test
    void tellsTheOthersEverything() {
        Recording others = new Recording();
        ConsoleMeters meters = ConsoleMeters.beside(others);
        tellEverything(meters.of("one", FailurePolicy.GRANT));
        tellEverything(meters.ofShadow("two", FailurePolicy.DENY));
        meters.owners(List.of());
        meters.guard("guard", () -> 1, () -> 2);
        assertThat(others.told)
                .containsExactly(
                        "of one GRANT",
                        "decided",
                        "storeAsked",
                        "inFallback",
                        "missed",
                        "punished",
                        "strikeMissed",
                        "leases",
                        "headroom",
                        "ofShadow two DENY",
                        "decided",
                        "storeAsked",
                        "inFallback",
                        "missed",
                        "punished",
                        "strikeMissed",
                        "leases",
                        "headroom",
                        "owners",
                        "guard");
    }

    @Test
    void countsThoughTheOthersThrow() {
        ConsoleMeters meters = ConsoleMeters.beside((limit, policy) -> new Meters.OfLimit() {
            @Override
            public void decided(Verdict verdict, Source source) {
                throw new IllegalStateException("planted");
            }

            @Override
            public void storeAsked(boolean answered, long nanos) {}

            @Override
            public void inFallback(long nanos) {}
        });
        Meters.OfLimit limit = meters.of("one", FailurePolicy.DENY);
        assertThatThrownBy(() -> limit.decided(Verdict.DENIED, Source.LOCAL)).hasMessage("planted");
        assertThat(meters.tally("one").denied()).isEqualTo(1);
    }

    @Test
    void allocatesNothingForADecision() {
        Meters.OfLimit limit = ConsoleMeters.create().of("one", FailurePolicy.DENY);
        decide(limit, 100_000);
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 10; i++) {
            least = Math.min(least, decide(limit, 100_000));
        }
        assertThat(least).isLessThan(1_000); // the question itself may cost some
    }

    private static long decide(Meters.OfLimit limit, int times) {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < times; i++) {
            limit.decided(Verdict.GRANTED, Source.LEASE);
        }
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static void tellEverything(Meters.OfLimit limit) {
        limit.decided(Verdict.GRANTED, Source.LOCAL);
        limit.storeAsked(true, 1);
        limit.inFallback(1);
        limit.missed();
        limit.punished();
        limit.strikeMissed();
        limit.leases(() -> LeaseCounts.NONE);
        limit.headroom(() -> 0);
    }

    private static final class Recording implements Meters {
        private final List<String> told = new ArrayList<>();

        @Override
        public OfLimit of(String limit, FailurePolicy policy) {
            told.add("of " + limit + " " + policy);
            return new RecordingLimit(told);
        }

        @Override
        public OfLimit ofShadow(String limit, FailurePolicy policy) {
            told.add("ofShadow " + limit + " " + policy);
            return new RecordingLimit(told);
        }

        @Override
        public void owners(List<OwnerHealth> owners) {
            told.add("owners");
        }

        @Override
        public void guard(String name, IntSupplier inFlight, LongSupplier shed) {
            told.add("guard");
        }
    }

    private record RecordingLimit(List<String> told) implements Meters.OfLimit {

        @Override
        public void decided(Verdict verdict, Source source) {
            told.add("decided");
        }

        @Override
        public void storeAsked(boolean answered, long nanos) {
            told.add("storeAsked");
        }

        @Override
        public void inFallback(long nanos) {
            told.add("inFallback");
        }

        @Override
        public void missed() {
            told.add("missed");
        }

        @Override
        public void punished() {
            told.add("punished");
        }

        @Override
        public void strikeMissed() {
            told.add("strikeMissed");
        }

        @Override
        public void leases(Supplier<LeaseCounts> counts) {
            told.add("leases");
        }

        @Override
        public void headroom(DoubleSupplier left) {
            told.add("headroom");
        }
    }
}
