package io.weir.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.store.contract.Grant;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TallyTest {

    private final Tally tally = new Tally();

    @Test
    void countsEachMemberApart() {
        tally.add(1, Outcome.of(200), 0, 1);
        tally.add(1, Outcome.of(429), 0, 1);
        tally.add(2, Outcome.of(503), 0, 1);
        tally.add(3, Outcome.of(404), 0, 1);

        assertThat(tally.counts())
                .containsExactly(new Counts(1, 1, 0, 0), new Counts(0, 0, 1, 0), new Counts(0, 0, 0, 1));
    }

    @Test
    void spansFromTheFirstRequestToTheLastAnswer() {
        assertThat(tally.span()).isZero();

        tally.add(1, Outcome.GRANTED, -20, 10);
        tally.add(1, Outcome.DENIED, -30, 5);
        tally.add(1, Outcome.DENIED, 0, 40);
        tally.add(1, Outcome.GRANTED, 1, 8);

        assertThat(tally.span()).isEqualTo(Duration.ofNanos(70));
    }

    @Test
    void keepsTheNewestGrants() {
        for (int i = 0; i < 200_001; i++) {
            tally.add(1, Outcome.GRANTED, i, i);
        }

        assertThat(tally.grants()).hasSize(200_000).startsWith(new Grant(1, 1, 1));
        assertThat(tally.counts().get(0).granted()).isEqualTo(200_001);
    }
}
