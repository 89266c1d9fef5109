package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.BucketState;
import io.weir.algorithm.Rule;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LastHeardTest {

    private static final long SECOND = 1_000_000_000;
    private static final Rule TEN = Rules.rule(10, 1, Duration.ofSeconds(1));

    private final LastHeard heard = new LastHeard();

    /** Of a bucket that has so many permits at an instant, which the owner calls by another name. */
    private static Balance balance(long level, long nowNanos) {
        long ownerNanos = 7 * SECOND + nowNanos;
        return new Balance(BucketState.restore(TEN, ownerNanos, level, 0), ownerNanos, nowNanos, nowNanos);
    }

    @Test
    void keepsWhatLacksSomethingUntilItIsFull() {
        heard.keep("drained", balance(0, 0), 0);
        heard.keep("half", balance(5, 0), 0);
        heard.keep("full", balance(10, 0), 0);
        assertThat(heard.of("full")).isNull();

        heard.sweep(5 * SECOND - 1);
        assertThat(heard.of("half")).isNotNull();
        heard.sweep(5 * SECOND);
        assertThat(heard.of("half")).isNull();
        assertThat(heard.of("drained")).isNotNull();
        heard.sweep(10 * SECOND);
        assertThat(heard.size()).isZero();
    }

    @Test
    void keepsTheLatestWordAndIsNotMadeToForgetByNone() {
        heard.keep("key", balance(3, 0), 0);
        Balance latest = balance(2, SECOND);
        heard.keep("key", latest, SECOND);
        heard.keep("key", null, SECOND);
        assertThat(heard.of("key")).isSameAs(latest);

        heard.keep("key", balance(10, SECOND), SECOND);
        assertThat(heard.of("key")).isNull();
    }

    /** Two threads that retire lines of one key may come in either order. */
    @Test
    void doesNotGoBackToAnOlderWord() {
        Balance latest = balance(2, SECOND);
        heard.keep("key", latest, SECOND);
        heard.keep("key", balance(3, 0), SECOND);
        assertThat(heard.of("key")).isSameAs(latest);

        heard.keep("key", balance(10, 0), SECOND);
        assertThat(heard.of("key")).isSameAs(latest);
    }

    @Test
    void isBoundedAndAFloodMakesItForgetNothing() {
        heard.keep("drained", balance(0, 0), 0);
        for (int i = 0; i < 2 * LastHeard.MOST; i++) {
            heard.keep("flood" + i, balance(9, 0), 0);
        }
        assertThat(heard.size()).isEqualTo(LastHeard.MOST);
        Balance latest = balance(0, 0);
        heard.keep("drained", latest, 0);
        assertThat(heard.of("drained")).isSameAs(latest);

        for (int i = 0; i < LastHeard.MOST / 1_000 + 2; i++) {
            heard.sweep(SECOND);
        }
        assertThat(heard.size()).isEqualTo(1);
    }
}
