package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Bandwidth;
import io.weir.store.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In milliseconds; the fault is from 1,000 to 5,000. */
class CourseTest {

    private static final Duration DEADLINE = Duration.ofMillis(50);

    private final List<Outcome> outcomes = new ArrayList<>();

    @Test
    void aFaultIsDetectedWhenThePolicyNoLongerWaitsForTheDeadline() {
        answered(900, 901, Source.POLICY, false); // before the fault
        answered(1_010, 1_060, Source.POLICY, false);
        answered(1_100, 1_101, Source.CLUSTER, true);
        assertThat(course().detected(DEADLINE)).isEmpty();
        answered(1_200, 1_201, Source.SHARE, true);
        answered(1_300, 1_301, Source.SHARE, true);
        assertThat(course().detected(DEADLINE)).hasValue(Duration.ofMillis(201));
    }

    @Test
    void recoveryIsTheEndOfTheLastHalfSecondInWhichThePolicyAnsweredOften() {
        assertThat(course().recovered()).isEmpty();
        for (int i = 0; i < 20; i++) {
            answered(6_100 + i, 6_150 + i, Source.POLICY, false);
        }
        answered(7_900, 7_950, Source.POLICY, false); // a busy machine
        assertThat(course().recovered()).hasValue(Duration.ofMillis(1_500));
    }

    @Test
    void sharesCountForTheTenthsOfASecondThatHaveOne() {
        answered(1_000, 1_001, Source.SHARE, true);
        answered(1_010, 1_011, Source.SHARE, false);
        answered(2_000, 2_001, Source.SHARE, true);
        answered(3_000, 3_001, Source.POLICY, true);
        assertThat(course().shared()).isEqualTo(Duration.ofMillis(200));
    }

    @Test
    void aShareIsMeasuredFromItsFirstAnswerToTheEndOfTheFault() {
        for (int at = 3_000; at < 5_000; at += 20) {
            answered(at - 1, at, Source.SHARE, true);
        }
        // Of 300 a second among 3: 100 a second. Granted are 50 a second.
        assertThat(course().shareGrantedBy(1, 3)).hasValue(0.5);
        assertThat(course().shareGrantedBy(2, 3)).isEmpty();
    }

    @Test
    void aGrantOfThePolicyIsNoneOfTheOwner() {
        answered(6_000, 6_001, Source.POLICY, true);
        assertThat(course().isGrantedByOwnerAfter(5_000)).isFalse();
        assertThat(course().isAnsweredAfter(5_000)).isTrue();
        answered(6_000, 6_001, Source.LEASE, true);
        assertThat(course().isGrantedByOwnerAfter(5_000_000_000L)).isTrue();
    }

    private Course course() {
        return new Course(Bandwidth.of(100, 300, Duration.ofSeconds(1)), 1, outcomes, 1_000_000_000L, 5_000_000_000L);
    }

    private void answered(long start, long end, Source source, boolean granted) {
        outcomes.add(new Outcome(1, "key", start * 1_000_000, end * 1_000_000, 1, source, granted));
    }
}
