package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import io.weir.store.Source;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** In milliseconds; the fault is from 1,000 to 5,000, and all is to be well at 9,000. */
class JudgeTest {

    private static final Workload DENY = new Workload(true, FailurePolicy.DENY, false);
    private static final Workload SHARE = new Workload(true, FailurePolicy.LOCAL_SHARE, false);
    private static final Waited QUICKLY = new Waited(52_000_000, 50_000_000);

    private static final Optional<Duration> AT_ONCE = Optional.of(Duration.ofMillis(1));

    private final History history = new History();

    @Test
    void findsNothingWhereEverythingIsKept() {
        granted(9_500, 1);
        assertThat(judged("owner killed", DENY, QUICKLY, Optional.of(Duration.ofSeconds(5)))
                        .misses())
                .isEmpty();
    }

    /** 100, and 200 a second for 0.2 s. */
    @Test
    void findsWhatExceedsTheRow() {
        granted(9_500, 141);
        Judged judged = judged("owner killed", DENY, QUICKLY, AT_ONCE);
        assertThat(judged.misses()).containsExactly("EXCEEDS by 1");
        assertThat(judged.isWithinBounds()).isFalse();
        assertThat(judged.isOnlySlow()).isFalse();
    }

    @Test
    void findsDecisionsThatTakeLongerThanTheirControl() {
        granted(9_500, 1);
        assertThat(judged("owner killed", DENY, new Waited(55_000_001, 50_000_000), AT_ONCE)
                        .misses())
                .containsExactly("SLOW");
        assertThat(judged("owner killed", DENY, new Waited(55_000_001, 50_000_000), AT_ONCE)
                        .isOnlySlow())
                .isTrue();
    }

    @Test
    void findsMembersThatMeetTooLate() {
        granted(9_500, 1);
        assertThat(judged("owner killed", DENY, QUICKLY, Optional.of(Duration.ofMillis(5_001)))
                        .misses())
                .containsExactly("LATE");
    }

    @Test
    void findsThatNothingIsGrantedAfterwards() {
        granted(8_500, 1);
        assertThat(judged("owner killed", DENY, QUICKLY, AT_ONCE).misses()).containsExactly("NEVER AGAIN");
    }

    @Test
    void findsThatAClientIsNotAnswered() {
        answered(1, 8_500, 1, Source.POLICY, false);
        String alone = "all members of a client killed";
        assertThat(judged(alone, DENY, QUICKLY, AT_ONCE).misses()).containsExactly("SILENT");
        answered(1, 9_500, 1, Source.POLICY, false);
        assertThat(judged(alone, DENY, QUICKLY, AT_ONCE).misses()).isEmpty();
    }

    /** A third of 200 a second, for 3 s: 200. */
    @Test
    void findsThatAMemberThatIsCutOffDoesNotGrantItsShare() {
        granted(9_500, 1);
        answered(2, 2_000, 0, Source.SHARE, false);
        answered(2, 4_000, 178, Source.SHARE, true);
        String cut = "owner cut off silently";
        assertThat(judged(cut, SHARE, QUICKLY, AT_ONCE).misses()).containsExactly("SHARE only 89 %");
        answered(2, 4_000, 4, Source.SHARE, true);
        assertThat(judged(cut, SHARE, QUICKLY, AT_ONCE).misses()).isEmpty();
    }

    private Judged judged(String fault, Workload workload, Waited waited, Optional<Duration> whole) {
        return new Judge(
                        Faults.named(fault),
                        Rig.LOOPBACK,
                        2,
                        1_000_000_000L,
                        5_000_000_000L,
                        9_000_000_000L,
                        whole,
                        waited)
                .judge(workload, history);
    }

    private void granted(long millis, long permits) {
        answered(1, millis, permits, Source.CLUSTER, true);
    }

    private void answered(int process, long millis, long permits, Source source, boolean granted) {
        history.add(new Outcome(process, "key", millis * 1_000_000, millis * 1_000_000, permits, source, granted));
    }
}
