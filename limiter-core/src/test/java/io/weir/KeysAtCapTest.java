package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeysAtCapTest {

    private static final Duration LASTING = Duration.ofSeconds(30);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final KeysAtCap keys = new KeysAtCap("api", LASTING.toNanos());
    private long nowNanos = 1;

    private void pass(Duration time) {
        nowNanos += time.toNanos();
    }

    /** Denies a key now, and then once a second for so many. */
    private void denyFor(String key, int seconds) {
        keys.denied(key, 2, nowNanos);
        for (int i = 0; i < seconds; i++) {
            pass(SECOND);
            keys.denied(key, 2, nowNanos);
        }
    }

    private List<KeyAtCap> news() {
        return keys.tend(nowNanos);
    }

    @Test
    void tellsOnceWhenAKeyHasBeenDeniedForAsLongAsWasSaid() {
        denyFor("a", 29);
        assertThat(news()).isEmpty();

        denyFor("a", 1);
        assertThat(news()).containsExactly(new KeyAtCap("api", "a", false, LASTING, 2 * 32));
        denyFor("a", 60);
        assertThat(news()).isEmpty();
    }

    @Test
    void tellsOnceThatItHasEnded() {
        denyFor("a", 30);
        news();
        denyFor("a", 9);
        pass(KeyWatch.GAP);
        assertThat(news()).isEmpty();

        pass(Duration.ofNanos(1));
        assertThat(news()).containsExactly(new KeyAtCap("api", "a", true, Duration.ofSeconds(39), 2 * 41));
        assertThat(news()).isEmpty();
    }

    @Test
    void beginsAnewAfterAGap() {
        denyFor("a", 29);
        pass(KeyWatch.GAP.plusNanos(1));
        denyFor("a", 29);
        assertThat(news()).isEmpty();

        denyFor("a", 1);
        assertThat(news()).hasSize(1);
    }

    @Test
    void goesOnOverGapsThatAreNoLonger() {
        for (int i = 0; i < 7; i++) {
            keys.denied("a", 1, nowNanos);
            pass(KeyWatch.GAP);
        }

        assertThat(keys.tend(nowNanos)).extracting(KeyAtCap::lasting).containsExactly(LASTING);
    }

    @Test
    void tellsOfAnEndThatNobodyLookedAt() {
        denyFor("a", 30);
        news();
        pass(Duration.ofMinutes(1));
        denyFor("a", 1);

        assertThat(news()).extracting(KeyAtCap::ended).containsExactly(true);
        assertThat(news()).isEmpty();
    }

    @Test
    void tellsOfEachKeyForItself() {
        for (int i = 0; i <= 30; i++) {
            keys.denied("a", 1, nowNanos);
            keys.denied("b", 1, nowNanos);
            pass(SECOND);
        }

        assertThat(news()).extracting(KeyAtCap::key).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void needsOneDenialOnlyIfItNeedNotLast() {
        KeysAtCap atOnce = new KeysAtCap("api", 0);
        atOnce.denied("a", 1, 5);

        assertThat(atOnce.tend(5)).containsExactly(new KeyAtCap("api", "a", false, Duration.ZERO, 1));
    }

    @Test
    void remembersAKeyThatIsDeniedMoreOftenThanAThousandOthers() {
        for (int second = 0; second <= 30; second++) {
            keys.denied("a", 1, nowNanos);
            for (int i = 0; i < KeysAtCap.MOST_CANDIDATES - 1; i++) {
                keys.denied("flood-" + second + "-" + i, 1, nowNanos);
            }
            pass(SECOND);
        }

        assertThat(news()).extracting(KeyAtCap::key).containsExactly("a");
    }

    @Test
    void endsNothingForAFloodOfOtherKeys() {
        denyFor("a", 30);
        news();
        for (int i = 0; i < 10 * KeysAtCap.MOST_CANDIDATES; i++) {
            keys.denied("flood-" + i, 1, nowNanos);
        }
        denyFor("a", 5);

        assertThat(news()).isEmpty();
        pass(KeyWatch.GAP.plusNanos(1));
        assertThat(news()).extracting(KeyAtCap::key, KeyAtCap::ended).containsExactly(tuple("a", true));
    }

    @Test
    void letsKeysWaitWhileThereAreAsManyAtTheirCapAsThereMayBe() {
        KeysAtCap atOnce = new KeysAtCap("api", 0);
        for (int i = 0; i < KeysAtCap.MOST_AT_CAP; i++) {
            atOnce.denied("key-" + i, 1, 0);
        }
        atOnce.denied("late", 1, SECOND.toNanos());
        assertThat(atOnce.tend(SECOND.toNanos())).hasSize(KeysAtCap.MOST_AT_CAP).noneMatch(KeyAtCap::ended);

        long later = KeyWatch.GAP.plusNanos(1).toNanos();
        assertThat(atOnce.tend(later)).hasSize(KeysAtCap.MOST_AT_CAP).allMatch(KeyAtCap::ended);
        atOnce.denied("late", 1, later);
        assertThat(atOnce.tend(later))
                .containsExactly(new KeyAtCap("api", "late", false, Duration.ofNanos(later - SECOND.toNanos()), 2));
    }

    @Test
    void countsNoFurtherThanThereAreNumbers() {
        keys.denied("a", Long.MAX_VALUE, nowNanos);
        denyFor("a", 30);

        assertThat(news()).extracting(KeyAtCap::denied).containsExactly(Long.MAX_VALUE);
    }
}
