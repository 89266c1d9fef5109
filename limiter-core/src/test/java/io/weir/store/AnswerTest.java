package io.weir.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

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
    void knowsOfNothingHeldAndNoLaterInstantUnlessToldOf() {
        Answer answer = Answer.of(step, 7, Source.CLUSTER);

        assertThat(answer.held()).isZero();
        assertThat(answer.notBeforeNanos()).isEqualTo(7);
    }

    @Test
    void isMadeOfWhatAReceiverIsTold() {
        Buckets.Receiver<Answer> receiver = (key, permits, answer) -> answer;

        assertThat(receiver.remembered("key", 2, step.verdict(), Source.LEASE, step.state(), 7, 9, 3))
                .usingRecursiveComparison()
                .isEqualTo(Answer.of(step, 7, Source.LEASE)
                        .remembered()
                        .notBefore(9)
                        .holding(3));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Answer.of(step, 7, Source.LEASE).holding(-1))
                .withMessageEndingWith("is -1");
    }

    @Test
    void keepsWhatWasAddedBefore() {
        Answer answer = Answer.of(step, 7, Source.LEASE).remembered().holding(3).notBefore(9);

        assertThat(answer.stale()).isTrue();
        assertThat(answer.held()).isEqualTo(3);
        assertThat(answer.notBeforeNanos()).isEqualTo(9);
        assertThat(answer.notBefore(11).remembered().holding(4))
                .usingRecursiveComparison()
                .isEqualTo(answer.holding(4).notBefore(11));
    }

    @Test
    void takesNoInstantThatHasPassedForALaterOne() {
        assertThat(Answer.of(step, 7, Source.CLUSTER).notBefore(5).notBeforeNanos())
                .isEqualTo(7);
    }

    @Test
    void refusesToHoldLessThanNothing() {
        Answer answer = Answer.of(step, 7, Source.LEASE);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> answer.holding(-1))
                .withMessageEndingWith("is -1");
    }

    @Test
    void saysInALogWhatItSays() {
        Answer answer = Answer.of(step, 7, Source.LOCAL);

        assertThat(answer).hasToString("Answer[GRANTED at 7 ns by LOCAL, " + step.state() + "]");
        assertThat(answer.remembered()).hasToString("Answer[GRANTED at 7 ns by LOCAL, stale " + step.state() + "]");
        assertThat(answer.holding(3).notBefore(9))
                .hasToString("Answer[GRANTED at 7 ns by LOCAL, " + step.state() + ", 3 held, not before 9 ns]");
    }
}
