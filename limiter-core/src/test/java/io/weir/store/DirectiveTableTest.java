package io.weir.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import io.weir.store.Directives.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class DirectiveTableTest {

    private static final long NOW = 1_800_000_000_000L;
    private static final long DAY = Directives.REMEMBERED.toMillis();

    private DirectiveTable table = DirectiveTable.empty(new UUID(1, 1));

    private static Directive block(String key, long version, long endMillis) {
        return new Directive(
                Directive.Id.ofBlock("limit", key), version, new Directive.Block(endMillis, "why"), "ann", NOW);
    }

    private static Directive withdrawn(Directive directive, long setMillis) {
        return new Directive(directive.id(), directive.version() + 1, new Directive.Withdrawn(), "ann", setMillis);
    }

    private static Directive definition(String limit, long version) {
        Rule rule = new Rule(version, new TokenBucket(List.of(Bandwidth.of(version, 1, Duration.ofDays(1)))));
        return new Directive(
                Directive.Id.ofDefinition(limit),
                version,
                new Directive.Definition(rule, "DENY", 1, false),
                "ann",
                NOW);
    }

    private Outcome offer(Directive directive) {
        return offer(directive, NOW);
    }

    private Outcome offer(Directive directive, long nowMillis) {
        DirectiveTable.Offered offered = table.offer(directive, nowMillis);
        table = offered.table();
        return offered.outcome();
    }

    /** As if so many blocks had been offered one by one. */
    private void fill(int blocks, long endMillis) {
        List<DirectiveTable.Entry> entries = new ArrayList<>();
        for (int i = 0; i < blocks; i++) {
            entries.add(new DirectiveTable.Entry(block("key " + i, 1, endMillis), i + 1));
        }
        table = DirectiveTable.restore(table.line(), blocks, 0, entries);
    }

    @Test
    void theHigherVersionCounts() {
        assertThat(offer(definition("limit", 2))).isEqualTo(Outcome.ACCEPTED);
        assertThat(offer(definition("limit", 1))).isEqualTo(Outcome.CONFLICT);
        assertThat(offer(definition("limit", 4))).isEqualTo(Outcome.ACCEPTED);
        assertThat(offer(definition("limit", 3))).isEqualTo(Outcome.CONFLICT);

        assertThat(table.find(Directive.Id.ofDefinition("limit"))).isEqualTo(definition("limit", 4));
        assertThat(table.revision()).isEqualTo(2);
    }

    @Test
    void theSameOnceMoreIsAcceptedAndChangesNothing() {
        offer(block("bob", 1, NOW + DAY));
        DirectiveTable before = table;

        assertThat(offer(block("bob", 1, NOW + DAY))).isEqualTo(Outcome.ACCEPTED);
        assertThat(table).isSameAs(before);
        assertThat(offer(block("bob", 1, NOW + DAY + 1)))
                .as("another of that version")
                .isEqualTo(Outcome.CONFLICT);
    }

    @Test
    void aWithdrawalIsNotUndoneByAnOlderOne() {
        Directive block = block("bob", 1, NOW + DAY);
        offer(block);
        offer(withdrawn(block, NOW));

        assertThat(offer(block)).isEqualTo(Outcome.CONFLICT);
        assertThat(offer(block("bob", 3, NOW + DAY))).isEqualTo(Outcome.ACCEPTED);
    }

    @Test
    void tellsOnlyWhatHasChanged() {
        offer(block("ann", 1, NOW + DAY));
        offer(block("bob", 1, NOW + DAY));
        long known = table.revision();
        assertThat(table.since(table.line(), known)).isEqualTo(new DirectiveTable.News(false, List.of()));

        offer(block("ann", 2, NOW + DAY + 1));
        offer(block("eve", 1, NOW + DAY));

        DirectiveTable.News news = table.since(table.line(), known);
        assertThat(news.complete()).isFalse();
        assertThat(news.directives())
                .containsExactlyInAnyOrder(block("ann", 2, NOW + DAY + 1), block("eve", 1, NOW + DAY));
    }

    @Test
    void tellsEverythingToWhoKnowsAnotherTableOrALaterOne() {
        offer(block("ann", 1, NOW + DAY));

        assertThat(table.since(null, 0).complete()).isTrue();
        assertThat(table.since(new UUID(7, 7), 1).complete()).isTrue();
        assertThat(table.since(table.line(), 2).complete())
                .as("the last change was lost with its owner")
                .isTrue();
    }

    @Test
    void isBoundedAndDropsOldWithdrawalsOnlyToMakeRoom() {
        Directive oldest = block("key 0", 1, NOW + 10 * DAY);
        fill(Directives.MOST - 1, NOW + 10 * DAY);
        assertThat(offer(block("the last", 1, NOW + 10 * DAY))).isEqualTo(Outcome.ACCEPTED);
        assertThat(offer(block("one more", 1, NOW + 10 * DAY))).isEqualTo(Outcome.FULL);
        assertThat(offer(block("key 7", 2, NOW + 11 * DAY)))
                .as("one that is there")
                .isEqualTo(Outcome.ACCEPTED);

        offer(withdrawn(oldest, NOW));
        offer(withdrawn(block("key 1", 1, 0), NOW + 5));
        long known = table.revision();
        assertThat(offer(block("one more", 1, NOW + 10 * DAY), NOW + DAY - 1)).isEqualTo(Outcome.FULL);
        assertThat(offer(block("one more", 1, NOW + 10 * DAY), NOW + DAY)).isEqualTo(Outcome.ACCEPTED);

        assertThat(table.find(oldest.id())).isNull();
        assertThat(table.find(Directive.Id.ofBlock("limit", "key 1"))).isNotNull();
        assertThat(table.entries()).hasSize(Directives.MOST);
        assertThat(table.since(table.line(), known).complete())
                .as("who knew it was withdrawn")
                .isFalse();
        assertThat(table.since(table.line(), known - 2).complete())
                .as("who does not know")
                .isTrue();
    }

    @Test
    void blocksThatEndedMakeRoomByThemselves() {
        fill(Directives.MOST, NOW + 1_000);
        assertThat(offer(block("one more", 1, NOW + DAY), NOW + 1_000))
                .as("clocks may differ")
                .isEqualTo(Outcome.FULL);

        assertThat(offer(block("one more", 1, NOW + DAY), NOW + 61_000)).isEqualTo(Outcome.ACCEPTED);
        assertThat(table.entries()).hasSize(1);
    }

    @Test
    void definitionsAreBoundedByThemselves() {
        for (int i = 0; i < Directives.MOST_DEFINITIONS; i++) {
            assertThat(offer(definition("limit" + i, 1))).isEqualTo(Outcome.ACCEPTED);
        }
        assertThat(offer(definition("more", 1))).isEqualTo(Outcome.FULL);
        assertThat(offer(definition("limit7", 2))).isEqualTo(Outcome.ACCEPTED);
        assertThat(offer(block("bob", 1, NOW + DAY))).isEqualTo(Outcome.ACCEPTED);

        offer(withdrawn(definition("limit7", 2), NOW));
        assertThat(offer(definition("more", 1))).isEqualTo(Outcome.ACCEPTED);
    }

    @Test
    void mergesByVersion() {
        DirectiveTable smaller = DirectiveTable.empty(new UUID(2, 2));
        for (Directive each : List.of(
                block("lower", 1, NOW + DAY),
                block("higher", 3, NOW + DAY),
                block("new", 1, NOW + DAY),
                block("ended", 1, NOW))) {
            smaller = smaller.offer(each, NOW).table();
        }
        offer(block("lower", 2, NOW + DAY));
        offer(block("higher", 2, NOW + DAY));

        table = table.merged(smaller, new UUID(3, 3), NOW);

        List<Directive> all = new ArrayList<>();
        table.entries().forEach(each -> all.add(each.directive()));
        assertThat(all)
                .containsExactlyInAnyOrder(
                        block("lower", 2, NOW + DAY), block("higher", 3, NOW + DAY), block("new", 1, NOW + DAY));
    }

    @Test
    void aNodeThatKnewEitherSideLearnsBoth() {
        offer(block("before", 1, NOW + DAY));
        DirectiveTable smaller = table;
        for (String key : List.of("smaller", "smaller too", "smaller still")) {
            smaller = smaller.offer(block(key, 1, NOW + DAY), NOW).table();
        }
        offer(block("larger", 1, NOW + DAY));
        DirectiveTable larger = table;

        table = larger.merged(smaller, new UUID(3, 3), NOW);

        for (DirectiveTable known : List.of(larger, smaller)) {
            DirectiveTable.News news = table.since(known.line(), known.revision());
            assertThat(news.complete()).isTrue();
            assertThat(news.directives())
                    .extracting(each -> each.id().key())
                    .containsExactlyInAnyOrder("before", "smaller", "smaller too", "smaller still", "larger");
        }
    }

    @Test
    void isReadBackAsItWas() {
        offer(block("ann", 1, NOW + DAY));
        offer(definition("limit", 3));

        assertThat(DirectiveTable.restore(
                        table.line(), table.revision(), table.forgotten(), List.copyOf(table.entries())))
                .isEqualTo(table);
    }

    @Test
    void refusesWhatDoesNotBelongTogether() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Directive(
                        Directive.Id.ofOverride("limit", "key"), 1, new Directive.Block(0, ""), "ann", NOW))
                .withMessageContaining("OVERRIDE");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> block("key", 0, 0))
                .withMessageContaining("at least 1 but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Directive.Id.ofOverride(Directive.EVERY_LIMIT, "key"))
                .withMessageContaining("limit must be");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Directive.Id(Directive.Kind.BLOCK, "limit", "x".repeat(258)))
                .withMessageContaining("has 258");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Directive.Block(0, "x".repeat(201)))
                .withMessageContaining("at most 200");
        assertThat(Directive.Id.ofBlock("limit", "x".repeat(10_000)).key()).hasSize(257);
        assertThat(new Directive.Block(0, "lone \ud800").reason()).isEqualTo("lone ?");
    }

    private static Directive penalty(String key, long endMillis, long forgivenMillis) {
        return new Directive(
                Directive.Id.ofBlock("limit", key),
                1,
                new Directive.Block(endMillis, "strikes", 1, forgivenMillis),
                "weir penalty",
                NOW);
    }

    /** As if they had been offered one by one, each a millisecond after the one before; the last of them first. */
    private void fillWithPenalties(int penalties, long firstEndMillis) {
        List<DirectiveTable.Entry> entries = new ArrayList<>(table.entries());
        for (int i = penalties - 1; i >= 0; i--) {
            entries.add(new DirectiveTable.Entry(
                    penalty("bot " + i, firstEndMillis + i, firstEndMillis + i + DAY), entries.size() + 1));
        }
        table = DirectiveTable.restore(table.line(), entries.size(), 0, entries);
    }

    @Test
    void penaltiesTakeHalfOfItAtMost() {
        fillWithPenalties(Directives.MOST_PENALTIES, NOW + 1_000);

        assertThat(offer(penalty("bot", NOW + 1_000, NOW + DAY))).isEqualTo(Outcome.FULL);
        assertThat(offer(block("by hand", 1, NOW + DAY))).isEqualTo(Outcome.ACCEPTED);
        assertThat(offer(withdrawn(penalty("bot 7", 0, 0), NOW))).isEqualTo(Outcome.ACCEPTED);
        assertThat(offer(penalty("bot", NOW + 1_000, NOW + DAY)))
                .as("one was pardoned")
                .isEqualTo(Outcome.ACCEPTED);
        Directive again = new Directive(
                Directive.Id.ofBlock("limit", "bot"), 2, new Directive.Block(NOW + 9, "", 2, NOW + 10), "", NOW);
        assertThat(offer(again)).as("of a key that has one").isEqualTo(Outcome.ACCEPTED);
    }

    @Test
    void penaltiesThatHaveEndedMakeRoomTheFirstOfThemFirst() {
        fill(Directives.MOST - Directives.MOST_PENALTIES, NOW + DAY);
        fillWithPenalties(Directives.MOST_PENALTIES, NOW);
        assertThat(offer(block("by hand", 1, NOW + DAY), NOW + 59_999))
                .as("clocks differ: it may not have ended everywhere")
                .isEqualTo(Outcome.FULL);

        assertThat(offer(block("by hand", 1, NOW + DAY), NOW + 60_000)).isEqualTo(Outcome.ACCEPTED);
        assertThat(table.find(Directive.Id.ofBlock("limit", "bot 0"))).isNull();
        assertThat(offer(penalty("bot", NOW + 2 * DAY, NOW + 2 * DAY), NOW + 60_001))
                .isEqualTo(Outcome.ACCEPTED);
        assertThat(table.find(Directive.Id.ofBlock("limit", "bot 1"))).isNull();
        assertThat(table.find(Directive.Id.ofBlock("limit", "bot 2"))).isNotNull();
        assertThat(table.entries()).hasSize(Directives.MOST);
        assertThat(table.forgotten()).as("nobody has to be told").isZero();
    }

    @Test
    void aPenaltyIsRememberedUntilItIsForgiven() {
        offer(penalty("bot", NOW + 1_000, NOW + DAY));
        offer(block("ann", 1, NOW + 3 * DAY), NOW + DAY + 59_999);
        assertThat(table.find(Directive.Id.ofBlock("limit", "bot"))).isNotNull();
        DirectiveTable other = DirectiveTable.empty(new UUID(2, 2));
        assertThat(other.merged(table, new UUID(9, 9), NOW + DAY - 1).entries()).hasSize(2);
        assertThat(other.merged(table, new UUID(9, 9), NOW + DAY).entries()).hasSize(1);

        offer(block("ann", 2, NOW + 3 * DAY), NOW + DAY + 60_000);
        assertThat(table.find(Directive.Id.ofBlock("limit", "bot"))).isNull();
    }

    @Test
    void aBlockSaysUntilWhenItsLevelCounts() {
        assertThat(new Directive.Block(5, "")).isEqualTo(new Directive.Block(5, "", 0, 5));
        for (long[] wrong : new long[][] {{-1, 5}, {Directive.MAX_LEVEL + 1, 5}, {0, 6}, {1, 4}}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new Directive.Block(5, "", (int) wrong[0], wrong[1]))
                    .withMessageContaining("level")
                    .withMessageContaining(String.valueOf(wrong[0]));
        }
    }
}
