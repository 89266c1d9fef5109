package io.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import io.weir.algorithm.Transition;
import io.weir.algorithm.Verdict;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnswerTest {

    private final Transition step =
            new Rule(1, new TokenBucket(List.of(Bandwidth.of(1, 1, Duration.ofSeconds(1))))).take(null, 1, 5);

    @Test
    void saysWhatATransitionDecided() {
        Answer answer = Answer.of(step, 7, Source.CLUSTER);

        assertThat(answer.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(answer.state()).isSameAs(step.state());
        assertThat(answer.nowNanos()).isEqualTo(7);
        assertThat(answer.source()).isEqualTo(Source.CLUSTER);
        assertThat(answer.stale()).isFalse();
    }

    @Test
    void isTheSameButStaleWhenItIsRemembered() {
        Answer answer = Answer.of(Verdict.DENIED, step.state(), 7, Source.CLUSTER);

        assertThat(answer.remembered())
                .usingRecursiveComparison()
                .ignoringFields("stale")
                .isEqualTo(answer);
        assertThat(answer.remembered().stale()).isTrue();
        assertThat(answer.stale()).isFalse();
    }

    @Test
    void saysInALogWhatItSays() {
        Answer answer = Answer.of(step, 7, Source.LOCAL);

        assertThat(answer).hasToString("Answer[GRANTED at 7 ns by LOCAL, " + step.state() + "]");
        assertThat(answer.remembered()).hasToString("Answer[GRANTED at 7 ns by LOCAL, stale " + step.state() + "]");
    }
}
