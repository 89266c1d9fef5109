package io.weir.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.console.NodeNote.LimitLine;
import io.weir.console.Snapshot.MergedLimit;
import io.weir.store.Source;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class LimitMergeTest {

    @Test
    void sumsWhatNodesHaveCounted() {
        MergedLimit merged =
                only(Notes.note("n1", 1, Notes.limit("one", 40, 3)), Notes.note("n2", 9, Notes.limit("one", 2, 1)));
        assertThat(merged.rates().granted()).hasValue(42);
        assertThat(merged.rates().denied()).hasValue(4);
        assertThat(merged.rates().never()).hasValue(0);
        assertThat(merged.granted()).isEqualTo(420);
        assertThat(merged.denied()).isEqualTo(40);
        assertThat(merged.rates().bySource().get(Tally.SOURCES.indexOf(Source.LOCAL)))
                .hasValue(46);
        assertThat(merged.differs()).isFalse();
        assertThat(merged.degraded()).isFalse();
    }

    @Test
    void ratesAreOfEachNodesOwnTime() {
        MergedLimit merged = only(
                lasting(2 * Notes.SECOND, Notes.limit("one", 40, 0)),
                lasting(Notes.SECOND / 2, Notes.limit("one", 5, 0)));
        assertThat(merged.rates().granted()).hasValue(30);
    }

    @Test
    void rateIsUnknownWhileNobodyHasCounted() {
        MergedLimit merged = only(lasting(0, Notes.limit("one", 0, 0)));
        assertThat(merged.rates().granted()).isEmpty();
        assertThat(merged.rates().bySource()).containsOnly(OptionalDouble.empty());
        assertThat(only(lasting(0, Notes.limit("one", 0, 0)), Notes.note("n2", 1, Notes.limit("one", 5, 0)))
                        .rates()
                        .granted())
                .hasValue(5);
    }

    @Test
    void showsTheNewestVersionAndThatNodesDiffer() {
        for (List<NodeNote> each : List.of(
                List.of(
                        Notes.note("n1", 1, Notes.limit("one", 1, null, 1, 0)),
                        Notes.note("n2", 1, Notes.limit("one", 2, null, 1, 0))),
                List.of(
                        Notes.note("n2", 1, Notes.limit("one", 2, null, 1, 0)),
                        Notes.note("n1", 1, Notes.limit("one", 1, null, 1, 0))))) {
            MergedLimit merged = LimitMerge.of(each).get(0);
            assertThat(merged.differs()).isTrue();
            assertThat(merged.line().version()).isEqualTo(2);
            assertThat(merged.bandwidths().get(0).refill()).isEqualTo(100);
        }
    }

    @Test
    void isDegradedWhereOneNodeIsAndSaysWhy() {
        MergedLimit merged = only(
                Notes.note("n1", 1, Notes.limit("one", 1, 0)),
                Notes.note("n2", 1, Notes.limit("one", 1, "no answer from n3", 1, 0)));
        assertThat(merged.degraded()).isTrue();
        assertThat(merged.why()).isEqualTo("no answer from n3");
        assertThat(merged.fallbackSeconds()).isEqualTo(1.5);
        assertThat(merged.answeredByPolicy()).isEqualTo(7);
        assertThat(merged.differs()).isFalse();
    }

    @Test
    void keysOfOneNameCountOnceWithTheLeastHeadroom() {
        MergedLimit merged = only(
                Notes.note(
                        "n1", 1, Notes.limit("one", 1, 0, Notes.key("ann", 10, 1, 0.5), Notes.key("bob", 9, 0, 0.9))),
                Notes.note("n2", 1, Notes.limit("one", 1, 0, Notes.key("bob", 8, 2, 0.3), Notes.key("cat", 1, 0, 1))));
        assertThat(merged.busiest())
                .containsExactly(Notes.key("bob", 17, 2, 0.3), Notes.key("ann", 10, 1, 0.5), Notes.key("cat", 1, 0, 1));
        assertThat(merged.headroom()).hasValue(0.3);
    }

    @Test
    void thoseThatDenyMostComeFirstThenThoseThatAreAskedMostThenByName() {
        List<MergedLimit> merged = LimitMerge.of(List.of(
                Notes.note("n1", 1, Notes.limit("b", 5, 0), Notes.limit("a", 5, 0), Notes.limit("busy", 90, 0)),
                Notes.note("n2", 1, Notes.limit("denies", 1, 1))));
        assertThat(merged.stream().map(MergedLimit::name)).containsExactly("denies", "busy", "a", "b");
    }

    private static NodeNote lasting(long nanos, LimitLine limit) {
        return new NodeNote("n", 1, nanos, 0, false, 1, 0, false, List.of(), List.of(limit));
    }

    private static MergedLimit only(NodeNote... notes) {
        List<MergedLimit> merged = LimitMerge.of(List.of(notes));
        assertThat(merged).hasSize(1);
        return merged.get(0);
    }
}
