package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** What {@link AnnouncementsTest} does not show. */
class TellingTest {

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<String> told = new ArrayList<>();
    private final Telling<String> telling = new Telling<>("tests", told::add, tasks::add, 3);

    @Test
    void keepsTheLatestNewsOfNoMoreThingsThanThereMayBe() {
        for (int i = 0; i < 10; i++) {
            telling.tell("thing-" + i, "first of " + i);
        }
        telling.tell("thing-8", "second of 8");
        tasks.remove().run();

        assertThat(tasks).isEmpty();
        assertThat(told).containsExactly("first of 7", "first of 9", "second of 8");
    }

    @Test
    void newsThatReplacesOthersIsTheLatest() {
        telling.tell("a", "a begins");
        telling.tell("b", "b begins");
        telling.tell("c", "c begins");
        telling.tell("a", "a ends");
        telling.tell("d", "d begins");
        tasks.remove().run();

        assertThat(told).containsExactly("c begins", "a ends", "d begins");
    }

    @Test
    void tellsOfOneThingAgainOnceItWasTold() {
        telling.tell("thing", "first");
        tasks.remove().run();
        telling.tell("thing", "second");
        tasks.remove().run();

        assertThat(told).containsExactly("first", "second");
    }
}
