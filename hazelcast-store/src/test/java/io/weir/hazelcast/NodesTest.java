package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.nio.serialization.HazelcastSerializationException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Nodes of one namespace, over a roster that every one of them reaches, or does not. */
class NodesTest {

    private static final UUID FIRST = new UUID(1, 1);
    private static final UUID SECOND = new UUID(2, 2);
    private static final UUID THIRD = new UUID(3, 3);

    private long now = 1_000;
    private Roster roster = new Roster(new UUID(0, 7), Map.of());
    private boolean reachable = true;
    private RuntimeException failure = new IllegalStateException("nobody is there");
    private int attempts;
    private int reports;

    private final Nodes first = nodes(FIRST);
    private final Nodes second = nodes(SECOND);
    private final Nodes third = nodes(THIRD);

    @Test
    void nobodyIsCountedBeforeTheFirstAnswer() {
        reachable = false;
        first.begin();
        assertThat(first.stable()).isEmpty();
    }

    @Test
    void countsAllWhoReported() {
        first.begin();
        assertThat(first.stable()).hasValue(1);
        second.begin();
        third.begin();
        assertThat(third.stable()).hasValue(3);

        assertThat(first.stable()).as("not heard of yet").hasValue(1);
        later(Nodes.SHORT_INTERVAL);
        first.tend();
        assertThat(first.stable()).hasValue(3);
    }

    @Test
    void reportsOnceAnInterval() {
        first.begin();
        tendFor(Nodes.HURRY);
        assertThat(reports).as("while nodes come and go").isEqualTo(30);
        tendFor(Nodes.INTERVAL.multipliedBy(10));
        assertThat(reports).isEqualTo(30 + 10);

        first.hurry();
        tendFor(Nodes.HURRY);
        assertThat(reports).isEqualTo(30 + 10 + 30);
    }

    /** Each report would be a stack trace in that member's log. */
    @Test
    void reportsSeldomToAMemberThatLacksTheClassesUntilMembersComeOrGo() {
        failure = new HazelcastSerializationException("no factory");
        reachable = false;
        first.begin();
        tendFor(Nodes.INTERVAL.multipliedBy(3));
        assertThat(attempts).isEqualTo(1 + 3);

        first.hurry();
        tendFor(Nodes.SHORT_INTERVAL);
        assertThat(attempts).isEqualTo(1 + 3 + 1);
        reachable = true;
        tendFor(Nodes.INTERVAL);
        assertThat(first.stable()).hasValue(1);
    }

    @Test
    void whoSeesANewNodeExpectsMore() {
        first.begin();
        tendFor(Nodes.HURRY.plus(Nodes.INTERVAL));
        second.begin();
        int before = reports;
        tendFor(Nodes.INTERVAL);
        assertThat(first.stable()).hasValue(2);
        tendFor(Nodes.INTERVAL);
        assertThat(reports - before).isGreaterThanOrEqualTo(10);
    }

    @Test
    void whoSaysGoodbyeIsSubtracted() {
        allBegin();
        third.end();
        allTend();

        assertThat(first.stable()).hasValue(2);
        assertThat(second.stable()).hasValue(2);
    }

    @Test
    void whoIsLostIsCountedUntilTheHoldIsOver() {
        allBegin();
        later(Nodes.INTERVAL);
        for (Duration silent = Nodes.INTERVAL;
                silent.compareTo(Roster.HOLD) < 0;
                silent = silent.plus(Nodes.INTERVAL)) {
            first.tend();
            assertThat(first.stable()).as("third silent for %s", silent).hasValue(3);
            second.tend();
            later(Nodes.INTERVAL);
        }
        first.tend();
        assertThat(first.stable()).hasValue(2);
    }

    @Test
    void anOutageChangesNothingHoweverLongItLasts() {
        allBegin();
        allTend();
        reachable = false;
        for (int hours = 0; hours < 10; hours++) {
            later(Duration.ofHours(1));
            first.tend();
            assertThat(first.stable()).hasValue(3);
        }
    }

    /** The other side of a split has the roster, or owner and backup died together: it begins anew. */
    @Test
    void aRosterThatBeginsAnewIsNoGoodbye() {
        allBegin();
        allTend();
        roster = new Roster(new UUID(0, 8), Map.of());
        later(Nodes.INTERVAL);
        first.tend();
        assertThat(first.stable()).hasValue(3);
        later(Nodes.INTERVAL);
        first.tend();
        assertThat(first.stable()).as("nor is that nobody else reports to it").hasValue(3);

        for (Duration past = Duration.ZERO; past.compareTo(Roster.HOLD) < 0; past = past.plus(Nodes.INTERVAL)) {
            later(Nodes.INTERVAL);
            first.tend();
        }
        assertThat(first.stable()).as("nobody else has come since").hasValue(1);
    }

    @Test
    void isBounded() {
        Map<UUID, Long> nearlyAsMany = new HashMap<>();
        for (int i = 0; i < Roster.MOST_NODES - 10; i++) {
            nearlyAsMany.put(new UUID(9, i), now);
        }
        roster = new Roster(new UUID(0, 7), nearlyAsMany);
        for (int i = 0; i < 20; i++) {
            roster = roster.reported(new UUID(10, i), now);
        }
        first.begin();
        assertThat(first.stable()).hasValue(Roster.MOST_NODES);
    }

    private void allBegin() {
        first.begin();
        second.begin();
        third.begin();
    }

    private void allTend() {
        later(Nodes.INTERVAL);
        first.tend();
        second.tend();
    }

    private void tendFor(Duration span) {
        long end = now + span.toNanos();
        while (now < end) {
            later(Breakers.TENDING_INTERVAL);
            first.tend();
        }
    }

    private void later(Duration span) {
        now += span.toNanos();
    }

    private Nodes nodes(UUID self) {
        return new Nodes(self, call -> answer(self, call), () -> now);
    }

    private CompletionStage<Roster> answer(UUID from, RosterCall call) {
        attempts++;
        if (!reachable) {
            return CompletableFuture.failedFuture(failure);
        }
        reports++;
        roster = call.isLeaving() ? roster.without(from, now) : roster.reported(from, now);
        return CompletableFuture.completedFuture(roster);
    }
}
