package io.weir.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Bandwidth;
import io.weir.store.contract.Grant;
import io.weir.store.contract.HistoryChecker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportTest {

    private static final Bandwidth BANDWIDTH = Bandwidth.of(100, 100, Duration.ofSeconds(1));
    private static final long MILLI = 1_000_000;

    @Test
    void allowsTheCapacityAndWhatIsRefilled() {
        assertThat(report(0, Duration.ofMillis(10_009)).allowed()).isEqualTo(1100);
        assertThat(report(0, Duration.ofMillis(10_010)).allowed()).isEqualTo(1101);
    }

    @Test
    void isGoodFrom98Percent() {
        assertThat(report(1078, Duration.ofSeconds(10)).isGood()).isTrue();
        assertThat(report(1077, Duration.ofSeconds(10)).isGood()).isFalse();
        assertThat(report(1077, Duration.ofSeconds(10)).lines())
                .last()
                .isEqualTo("verdict      the limit held, but less than 98 % of it was granted");
    }

    @Test
    void showsEachMemberAndAllTogether() {
        Report report = new Report(
                BANDWIDTH,
                List.of(new Counts(400, 5, 0, 1), new Counts(398, 0, 2, 0), new Counts(300, 60, 0, 0)),
                Duration.ofMillis(10_004),
                HistoryChecker.of(BANDWIDTH).check(List.of(new Grant(0, 1, 1))),
                List.of());

        assertThat(report.lines())
                .containsExactly(
                        "               member 1    member 2    member 3         all",
                        "asked               406         400         360        1166",
                        "granted             400         398         300        1098",
                        "denied                5           0          60          65",
                        "unavailable           0           2           0           2",
                        "failed                1           0           0           1",
                        "",
                        "limit        100 at once and 100 per second: 1100 in 10.0 s",
                        "granted      99.8 % of that",
                        "history      WITHIN the bound of 100 + 100 per 1s: 1 grants of 1 permits",
                        "verdict      the limit held, on all members together, and was used up");
    }

    @Test
    void findsThatEveryMemberGrantsTheWholeLimit() {
        Tally tally = new Tally();
        for (int member = 1; member <= Settings.MEMBERS; member++) {
            for (int i = 0; i < 100; i++) {
                tally.add(member, Outcome.GRANTED, i * MILLI, (i + 1) * MILLI);
            }
        }

        Report report = Report.of(BANDWIDTH, tally, List.of());

        assertThat(report.isGood()).isFalse();
        assertThat(report.lines()).last().isEqualTo("verdict      BROKEN: more was granted than the limit allows");
    }

    @Test
    void tellsWhatHappenedAndDoesNotAskForAllToBeUsedThen() {
        Tour.Event killed = new Tour.Event(7, Act.KILL, "member 3 is killed");
        Report report = new Report(
                BANDWIDTH,
                report(50, Duration.ofSeconds(10)).counts(),
                Duration.ofSeconds(10),
                HistoryChecker.of(BANDWIDTH).check(List.of()),
                List.of(killed));

        assertThat(report.isGood()).isTrue();
        assertThat(report.lines())
                .contains("    7 s   member 3 is killed")
                .last()
                .isEqualTo("verdict      the limit held, through all of that");
    }

    @Test
    void allowsACutOneMoreCapacityAndASplitSecondsRefillAndNoMore() {
        Tour.Event cut = new Tour.Event(7, Act.CUT, "member 1 is cut off");
        assertThat(Report.of(BANDWIDTH, atOnce(500), List.of(cut)).isGood()).isTrue();
        assertThat(Report.of(BANDWIDTH, atOnce(502), List.of(cut)).isGood()).isFalse();
        Tour.Event killed = new Tour.Event(7, Act.KILL, "member 3 is killed");
        assertThat(Report.of(BANDWIDTH, atOnce(102), List.of(killed)).isGood()).isFalse();
    }

    private static Tally atOnce(int grants) {
        Tally tally = new Tally();
        for (int i = 0; i < grants; i++) {
            tally.add(1, Outcome.GRANTED, 0, MILLI);
        }
        return tally;
    }

    private static Report report(long granted, Duration span) {
        List<Counts> counts = new ArrayList<>(List.of(new Counts(granted, 10, 0, 0), Counts.NONE, Counts.NONE));
        return new Report(BANDWIDTH, counts, span, HistoryChecker.of(BANDWIDTH).check(List.of()), List.of());
    }
}
