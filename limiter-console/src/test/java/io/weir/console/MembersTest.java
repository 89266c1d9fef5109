package io.weir.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.console.NodeNote.OwnerLine;
import io.weir.console.Snapshot.MemberLine;
import io.weir.console.Snapshot.State;
import io.weir.store.Board.Peer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class MembersTest {

    private static final Peer HERE = new Peer("1", "[127.0.0.1]:5801", true);
    private static final Peer SECOND = new Peer("2", "[127.0.0.1]:5802", false);
    private static final Peer THIRD = new Peer("3", "[127.0.0.1]:5803", false);

    private final Members members = new Members();
    private long now = Duration.ofHours(1).toNanos();
    private NodeNote own = Notes.note("n1", 1, Notes.limit("one", 1, 0));

    @Test
    void whoPostsIsReachable() {
        round(HERE, SECOND);
        hear("2", "n2", 1);
        assertThat(states()).containsExactly(State.REACHABLE, State.REACHABLE);
        assertThat(members.notes(own, now)).hasSize(2);
    }

    @Test
    void whoSaysNothingIsSilentAfterThreeSecondsAndDoesNotCount() {
        round(HERE, SECOND);
        hear("2", "n2", 1);
        for (int i = 0; i < 3; i++) {
            pass(1);
            round(HERE, SECOND);
            hear("2", "n2", 1); // the same note: it is still up, and nobody has posted another
        }
        assertThat(states()).containsExactly(State.REACHABLE, State.REACHABLE);
        pass(1);
        round(HERE, SECOND);
        assertThat(line(SECOND.name()).state()).isEqualTo(State.SILENT);
        assertThat(line(SECOND.name()).seconds()).hasValue(4);
        assertThat(line(SECOND.name()).fallbackSeconds()).isEmpty();
        assertThat(members.notes(own, now)).containsExactly(own);
    }

    @Test
    void nobodyIsSilentBeforeAnybodyListened() {
        round(HERE, SECOND);
        members.forgetNotes();
        pass(100);
        round(HERE, SECOND);
        assertThat(line(SECOND.name()).state()).isEqualTo(State.REACHABLE);
        assertThat(line(SECOND.name()).seconds()).isEmpty();
    }

    @Test
    void whoHasGoneIsToldForAMinute() {
        round(HERE, SECOND);
        hear("2", "n2", 1);
        pass(1);
        round(HERE);
        assertThat(line(SECOND.name()).state()).isEqualTo(State.LEFT);
        assertThat(line(SECOND.name()).seconds()).hasValue(1);
        assertThat(members.notes(own, now)).containsExactly(own);
        pass(59);
        round(HERE);
        assertThat(states()).containsExactly(State.REACHABLE, State.LEFT);
        pass(1);
        round(HERE);
        assertThat(states()).containsExactly(State.REACHABLE);
    }

    @Test
    void whoComesBackUnderItsAddressHasNotLeft() {
        round(HERE, SECOND);
        pass(5);
        round(HERE, new Peer("2 again", SECOND.name(), false));
        assertThat(states()).containsExactly(State.REACHABLE, State.REACHABLE);
    }

    @Test
    void whomOneNodeMissesIsUnreachableForAsLongAsItSays() {
        round(HERE, SECOND, THIRD);
        hear("2", "n2", 1, new OwnerLine(THIRD.name(), false, 12, "no answer in 50 ms"));
        hear("3", "n3", 1, new OwnerLine(THIRD.name(), true, 99, null));
        MemberLine line = line(THIRD.name());
        assertThat(line.state()).isEqualTo(State.UNREACHABLE);
        assertThat(line.seconds()).hasValue(12);
        assertThat(line.why()).isEqualTo("no answer in 50 ms");
        assertThat(line(SECOND.name()).state()).isEqualTo(State.REACHABLE);
    }

    @Test
    void aClientIsThereForAsLongAsItPosts() {
        round(HERE);
        hear("a client", "n9", 1);
        assertThat(line("n9").state()).isEqualTo(State.REACHABLE);
        pass(9);
        round(HERE);
        assertThat(line("n9").state()).isEqualTo(State.SILENT);
        pass(1);
        round(HERE);
        assertThat(line("n9").state()).isEqualTo(State.LEFT);
        pass(51);
        round(HERE);
        assertThat(states()).containsExactly(State.REACHABLE);
    }

    @Test
    void aNoteThatComesBeforeItsMemberIsThatMembers() {
        round(HERE);
        hear("2", "n2", 1);
        round(HERE, SECOND);
        hear("2", "n2", 2);
        assertThat(members.lines(members.notes(own, now), now).stream().map(MemberLine::name))
                .containsExactly(HERE.name(), SECOND.name());
    }

    @Test
    void aClientThatIsLookedAtIsListedFirst() {
        round(SECOND);
        assertThat(members.lines(members.notes(own, now), now).get(0).name()).isEqualTo("n1");
        assertThat(members.lines(members.notes(own, now), now).get(0).here()).isTrue();
    }

    @Test
    void saysWhatIsWrongWithANoteThatCannotBeRead() {
        round(HERE, SECOND);
        members.notUnderstood("2", "its note cannot be read", now);
        pass(4);
        round(HERE, SECOND);
        assertThat(line(SECOND.name()).why()).isEqualTo("its note cannot be read");
    }

    @Test
    void howManyAreRememberedIsBounded() {
        round(HERE);
        for (int i = 0; i < 10_000; i++) {
            hear("stranger " + i, "n" + i, 1);
        }
        assertThat(states()).hasSize(2_000);
    }

    private void pass(long seconds) {
        now += Duration.ofSeconds(seconds).toNanos();
    }

    private void round(Peer... peers) {
        members.look(List.of(peers), now);
        members.listen(now);
        own = Notes.note("n1", own.tick() + 1, Notes.limit("one", 1, 0));
    }

    private void hear(String from, String node, long tick, OwnerLine... owners) {
        members.heard(from, Notes.withOwners(Notes.note(node, tick, Notes.limit("one", 1, 0)), owners), now);
    }

    private List<State> states() {
        return members.lines(members.notes(own, now), now).stream()
                .map(MemberLine::state)
                .toList();
    }

    private MemberLine line(String name) {
        return members.lines(members.notes(own, now), now).stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
