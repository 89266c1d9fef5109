package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SamplingTest {

    private final Sampling sampling = new Sampling();

    private void look(int times) {
        for (int i = 0; i < times; i++) {
            sampling.looked();
        }
    }

    /** For how many a decision stands, if it is drawn: as often as it takes until one is. */
    private int oneIn() {
        int drawn = 0;
        while (drawn == 0) {
            drawn = sampling.draw();
        }
        return drawn;
    }

    @Test
    void drawsEveryDecisionAtFirst() {
        for (int i = 0; i < 10_000; i++) {
            assertThat(sampling.draw()).isEqualTo(1);
        }
    }

    @Test
    void drawsHalfAsManyAtOnceEachTimeTheBudgetIsSpent() {
        look(Sampling.BUDGET - 1);
        assertThat(oneIn()).isEqualTo(1);
        look(1);
        assertThat(oneIn()).isEqualTo(2);
        look(Sampling.BUDGET);
        assertThat(oneIn()).isEqualTo(4);
    }

    @Test
    void keepsItsRateWhileItFitsTheBudgetAndLooksAtMoreAgainWhenFewCome() {
        look(2 * Sampling.BUDGET);
        sampling.tend();
        assertThat(oneIn()).isEqualTo(4);

        look(Sampling.BUDGET / 4);
        sampling.tend();
        assertThat(oneIn()).isEqualTo(4);

        look(Sampling.BUDGET / 4 - 1);
        sampling.tend();
        assertThat(oneIn()).isEqualTo(2);
        sampling.tend();
        sampling.tend();
        assertThat(oneIn()).isEqualTo(1);
    }

    /** 1,000,000 draws of one in 16: 62,500 are expected, give or take 242; ten times that happens once in 10^23. */
    @Test
    void drawsAsOftenAsItSays() {
        look(4 * Sampling.BUDGET);
        long standsFor = 0;
        for (int i = 0; i < 1_000_000; i++) {
            standsFor += sampling.draw();
        }

        assertThat(standsFor).isBetween(960_000L, 1_040_000L);
    }

    @Test
    void neverLooksAtNothing() {
        look(100 * Sampling.BUDGET);

        assertThat(sampling.draw()).isIn(0, 1 << 30);
    }
}
