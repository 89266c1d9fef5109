package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.weir.algorithm.Bandwidth;
import io.weir.store.LocalStore;
import io.weir.store.Source;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WeirTest {

    private static final Duration DAY = Duration.ofDays(1);

    private final AtomicLong nowNanos = new AtomicLong();

    private static Limit limit(String name, FailurePolicy policy, long version, long capacity) {
        return Limit.named(name, policy)
                .bandwidth(Bandwidth.of(capacity, 1, DAY))
                .version(version)
                .build();
    }

    private Weir over(Limit... limits) {
        Weir.Builder builder = Weir.over(LocalStore.create(nowNanos::get, 1_000));
        for (Limit limit : limits) {
            builder.limit(limit);
        }
        return builder.build();
    }

    @Test
    void hasOneLimiterForEachLimit() {
        Weir weir = over(limit("a", FailurePolicy.DENY, 1, 5), limit("b", FailurePolicy.GRANT, 1, 5));

        assertThat(weir.limiters()).hasSize(2);
        assertThat(weir.limiter("a")).isSameAs(weir.limiter("a"));
        assertThat(weir.limiter("b").limit().failurePolicy()).isEqualTo(FailurePolicy.GRANT);
    }

    @Test
    void listsItsLimitersAsTheyWereAdded() {
        Weir weir = over(Stream.of("z", "a", "q", "b", "y", "c", "x", "d", "w", "e")
                .map(name -> limit(name, FailurePolicy.DENY, 1, 5))
                .toArray(Limit[]::new));

        assertThat(weir.limiters())
                .extracting(limiter -> limiter.limit().name())
                .containsExactly("z", "a", "q", "b", "y", "c", "x", "d", "w", "e");
        assertThat(weir.limiters()).isUnmodifiable();
    }

    @Test
    @SuppressWarnings("NullAway") // what callers without a null checker can do
    void refusesNoStore() {
        assertThatNullPointerException().isThrownBy(() -> Weir.over(null)).withMessageContaining("store");
    }

    @Test
    void namesTheLimitsThereAreWhenAskedForAnother() {
        Weir weir = over(limit("b", FailurePolicy.DENY, 1, 5), limit("a", FailurePolicy.DENY, 1, 5));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> weir.limiter("c"))
                .withMessage("there is no limit called \"c\", only [a, b]");
    }

    @Test
    void refusesNoLimit() {
        assertThatIllegalArgumentException().isThrownBy(this::over).withMessageContaining("there is no limit");
    }

    @Test
    void refusesTwoLimitsOfOneNameUnlessTheyAreEqual() {
        Limit limit = limit("a", FailurePolicy.DENY, 1, 5);

        assertThat(over(limit, limit("a", FailurePolicy.DENY, 1, 5)).limiters()).hasSize(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> over(limit, limit("a", FailurePolicy.DENY, 1, 6)))
                .withMessageContaining("\"a\" is given twice and differs");
    }

    @Test
    void refusesToShareOutAmongAnUnknownNumberOfNodes() {
        FaultyStore store = new FaultyStore(nowNanos, OptionalInt.empty());
        Weir.Builder builder = Weir.over(store)
                .limit(limit("fair", FailurePolicy.LOCAL_SHARE, 1, 10))
                .limit(limit("strict", FailurePolicy.DENY, 1, 10));

        assertThatIllegalArgumentException()
                .isThrownBy(builder::build)
                .withMessageContaining("[fair]")
                .withMessageContaining(".nodes(n)");
        store.knowsOf(OptionalInt.of(0));
        assertThatIllegalArgumentException().isThrownBy(builder::build);
        assertThat(builder.nodes(5).build().limiters()).hasSize(2);
    }

    @Test
    void sharesOutAmongAsManyNodesAsItWasToldWhateverTheStoreKnows() {
        FaultyStore store = new FaultyStore(nowNanos, OptionalInt.of(1));
        Limiter limiter = Weir.over(store)
                .limit(limit("fair", FailurePolicy.LOCAL_SHARE, 1, 10))
                .nodes(5)
                .build()
                .limiter("fair");
        store.failWith(FaultyStore.unreachable());

        assertThat(limiter.tryAcquire("client", 3).granted()).isFalse();
        assertThat(limiter.tryAcquire("client", 2).granted()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void refusesToShareOutAmongNobody(int nodes) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Weir.over(LocalStore.create()).nodes(nodes))
                .withMessageEndingWith("is " + nodes);
    }

    @Test
    void putsOtherNumbersInForce() {
        Weir weir = over(limit("a", FailurePolicy.DENY, 1, 10));
        weir.limiter("a").tryAcquire("client", 6);

        weir.change(limit("a", FailurePolicy.DENY, 2, 20));

        assertThat(weir.limiter("a").limit().rule().version()).isEqualTo(2);
        assertThat(weir.limiter("a").peek("client").remaining()).hasValue(8);
    }

    /** Else nodes with the old and the new numbers would take turns. */
    @Test
    void refusesOtherNumbersOfTheSameVersion() {
        Weir weir = over(limit("a", FailurePolicy.DENY, 2, 10));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> weir.change(limit("a", FailurePolicy.DENY, 2, 20)))
                .withMessageContaining("\"a\" is at version 2")
                .withMessageEndingWith("raise the version");

        assertThat(weir.limiter("a").peek("client").remaining()).hasValue(10);
    }

    @Test
    void putsAnotherDeadlineInForceUnderTheSameVersion() {
        Weir weir = over(limit("a", FailurePolicy.DENY, 2, 10));
        weir.limiter("a").tryAcquire("client", 6);

        weir.change(Limit.named("a", FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(10, 1, DAY))
                .version(2)
                .deadline(Duration.ofMillis(7))
                .build());

        assertThat(weir.limiter("a").limit().deadline()).isEqualTo(Duration.ofMillis(7));
        assertThat(weir.limiter("a").peek("client").remaining()).hasValue(4);
    }

    @Test
    void refusesAChangeThatIsNotOneOfNumbers() {
        Weir weir = over(limit("a", FailurePolicy.DENY, 2, 10));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> weir.change(limit("b", FailurePolicy.DENY, 3, 20)))
                .withMessageContaining("\"b\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> weir.change(limit("a", FailurePolicy.GRANT, 3, 20)))
                .withMessageContaining("DENY")
                .withMessageContaining("GRANT");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> weir.change(limit("a", FailurePolicy.DENY, 1, 20)))
                .withMessageContaining("version 2")
                .withMessageEndingWith("back to 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> weir.change(Limit.named("a", FailurePolicy.DENY)
                        .bandwidth(Bandwidth.of(20, 20, Duration.ofSeconds(1)))
                        .version(3)
                        .exact()
                        .build()))
                .withMessageContaining("not exact");
        assertThat(weir.limiter("a").limit()).isEqualTo(limit("a", FailurePolicy.DENY, 2, 10));
    }

    @Test
    void answersByTheFailurePolicyOnceClosed() {
        Weir weir = over(
                limit("strict", FailurePolicy.DENY, 1, 5),
                limit("open", FailurePolicy.GRANT, 1, 5),
                limit("fair", FailurePolicy.LOCAL_SHARE, 1, 5));
        assertThat(weir.limiter("fair").tryAcquire("drained", 5).granted()).isTrue();

        weir.close();

        assertThat(weir.limiter("fair").tryAcquire("drained").granted()).isFalse();

        assertThat(weir.limiter("strict").tryAcquire("client").granted()).isFalse();
        assertThat(weir.limiter("open").tryAcquire("client").granted()).isTrue();
        Decision shared = weir.limiter("fair").tryAcquire("client");
        assertThat(shared.granted()).isTrue();
        assertThat(shared.source()).isEqualTo(Source.SHARE);
    }
}
