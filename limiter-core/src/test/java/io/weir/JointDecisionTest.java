package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Verdict;
import io.weir.store.LocalStore;
import io.weir.store.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Several limits in one decision. */
class JointDecisionTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final AtomicLong nowNanos = new AtomicLong();
    private final FaultyStore store = new FaultyStore(nowNanos, OptionalInt.of(2));
    private final List<String> counted = new ArrayList<>();
    private final Weir weir = Weir.over(store)
            .limit(limit("site", 100, FailurePolicy.DENY))
            .limit(limit("user", 5, FailurePolicy.DENY))
            .limit(limit("shared", 8, FailurePolicy.LOCAL_SHARE))
            .meters((limit, policy) -> new MetersOfNothing() {
                @Override
                public void decided(Verdict verdict, Source source) {
                    counted.add(limit + " " + verdict);
                }
            })
            .time(nowNanos::get, duration -> {})
            .build();

    private static Limit limit(String name, long perMinute, FailurePolicy policy) {
        return Limit.named(name, policy)
                .bandwidth(Bandwidth.of(perMinute, perMinute, MINUTE))
                .build();
    }

    private JointDecision ask(String user) {
        return weir.tryAcquire(List.of(Ask.of(weir.limiter("site"), "all"), Ask.of(weir.limiter("user"), user)));
    }

    private long remaining(String limit, String key) {
        return weir.limiter(limit).peek(key).remaining().orElseThrow();
    }

    /** K-04. */
    @Test
    void whoIsDeniedByOneLimitDrainsNoOther() {
        for (int i = 0; i < 50; i++) {
            assertThat(ask("U").granted()).isEqualTo(i < 5);
        }
        assertThat(remaining("site", "all")).isEqualTo(95);
        JointDecision last = ask("U");
        for (int i = 0; i < 100; i++) {
            assertThat(ask("W").granted()).isEqualTo(i < 5);
        }

        assertThat(remaining("site", "all")).isEqualTo(90);
        assertThat(last.governing().limit().name()).isEqualTo("user");
        assertThat(last.retryAfter()).contains(Duration.ofSeconds(12));
    }

    @Test
    void namesTheLimitWithTheLongestWait() {
        weir.limiter("site").tryAcquire("all", 100);
        weir.limiter("user").tryAcquire("U", 5);

        JointDecision both = ask("U");

        assertThat(both.decisions()).hasSize(2);
        assertThat(both.governing().limit().name()).isEqualTo("user");
        JointDecision impossible =
                weir.tryAcquire(List.of(new Ask(weir.limiter("site"), "all", 101), Ask.of(weir.limiter("user"), "U")));
        assertThat(impossible.governing().impossible()).isTrue();
    }

    @Test
    void aGrantHangsOnTheFewestPermitsLeft() {
        assertThat(ask("U").governing().limit().name()).isEqualTo("user");
        assertThat(ask("U").decisions().get(0).remaining()).hasValue(98);
    }

    @Test
    void refundsAllOnce() {
        JointDecision decision = ask("U");

        assertThat(decision.refund().join()).isTrue();
        assertThat(decision.refund().join()).isFalse();

        assertThat(remaining("site", "all")).isEqualTo(100);
        assertThat(remaining("user", "U")).isEqualTo(5);
    }

    @Test
    void whatWentBackCannotBeRefundedAgain() {
        weir.limiter("user").tryAcquire("U", 5);
        JointDecision denied = ask("U");
        ask("other");

        assertThat(denied.refund().join()).isFalse();
        assertThat(remaining("site", "all")).isEqualTo(99);
    }

    @Test
    void anOutageIsAnsweredByEachLimitsPolicy() {
        store.failWith(FaultyStore.unreachable());
        List<Ask> asks = List.of(Ask.of(weir.limiter("shared"), "a"), Ask.of(weir.limiter("user"), "U"));

        JointDecision denied = weir.tryAcquire(asks);

        assertThat(denied.granted()).isFalse();
        assertThat(denied.governing().limit().name()).isEqualTo("user");
        for (int i = 0; i < 4; i++) {
            assertThat(weir.limiter("shared").tryAcquire("a").granted())
                    .as("the share has got its permit back")
                    .isTrue();
        }
        assertThat(weir.limiter("shared").tryAcquire("a").granted()).isFalse();
    }

    @Test
    void countsWhatWasGrantedAndWhoDenied() {
        weir.limiter("user").tryAcquire("U", 4);
        counted.clear();
        ask("U");
        ask("U");

        assertThat(counted).containsExactlyInAnyOrder("site GRANTED", "user GRANTED", "user DENIED");
    }

    /** Else the round trips of all of them would add up. */
    @Test
    void asksAllAtTheSameTime() {
        store.hang();

        CompletableFuture<JointDecision> decision =
                weir.tryAcquireAsync(List.of(Ask.of(weir.limiter("site"), "all"), Ask.of(weir.limiter("user"), "U")));

        assertThat(store.hanging()).isEqualTo(2);
        store.reachDeadlines();
        assertThat(decision.join().granted()).isFalse();
    }

    @Test
    void aShadowHasNoSay() {
        Weir shadowed = Weir.over(LocalStore.create())
                .limit(limit("user", 5, FailurePolicy.DENY))
                .limit(Limit.named("new", FailurePolicy.DENY)
                        .bandwidth(Bandwidth.of(1, 1, MINUTE))
                        .shadow()
                        .build())
                .build();
        try (shadowed) {
            List<Ask> asks = List.of(Ask.of(shadowed.limiter("new"), "U"), Ask.of(shadowed.limiter("user"), "U"));
            for (int i = 0; i < 5; i++) {
                JointDecision decision = shadowed.tryAcquire(asks);
                assertThat(decision.granted()).isTrue();
                assertThat(decision.governing().limit().name()).isEqualTo("user");
            }
            JointDecision denied = shadowed.tryAcquire(asks);
            assertThat(denied.granted()).isFalse();
            assertThat(denied.governing().limit().name()).isEqualTo("user");
        }
    }

    @Test
    void aBugSurfacesAsItself() {
        IllegalStateException bug = new IllegalStateException("off by one");
        store.failWith(bug);

        assertThatIllegalStateException().isThrownBy(() -> ask("U")).isSameAs(bug);
    }

    @Test
    void refusesWhatIsNoDecision() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> weir.tryAcquire(List.of()))
                .withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> weir.tryAcquire(Collections.nCopies(33, Ask.of(weir.limiter("site"), "all"))))
                .withMessageContaining("33");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> weir.tryAcquire(
                        List.of(Ask.of(weir.limiter("site"), "all"), new Ask(weir.limiter("site"), "all", 2))))
                .withMessageContaining("ask once, for the sum");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Ask(weir.limiter("site"), "all", 0))
                .withMessageContaining("is 0");
        assertThat(remaining("site", "all")).isEqualTo(100);
    }

    @Test
    void asksTheShadowOfALimitThatIsKnownToDeny() {
        LocalStore local = LocalStore.create(nowNanos::get, 1_000);
        Weir trying = Weir.over(local)
                .limit(limit("site", 100, FailurePolicy.DENY))
                .limit(limit("user", 5, FailurePolicy.DENY))
                .limit(Limit.named("tried", FailurePolicy.DENY)
                        .bandwidth(Bandwidth.of(50, 50, MINUTE))
                        .shadowOf("user")
                        .build())
                .time(nowNanos::get, duration -> {})
                .build();
        trying.administration("ann").block("user", "U", Duration.ofDays(1), "");

        JointDecision denied =
                trying.tryAcquire(List.of(Ask.of(trying.limiter("site"), "all"), Ask.of(trying.limiter("user"), "U")));

        assertThat(denied.granted()).isFalse();
        assertThat(denied.decisions()).hasSize(1);
        assertThat(trying.limiter("tried").peek("U").remaining()).hasValue(49);
    }

    @Test
    void anUnknownWaitIsToldBeforeAnyThatIsKnown() {
        weir.limiter("site").tryAcquire("all", 100);
        Decision known = weir.limiter("site").tryAcquire("all");
        Decision impossible = weir.limiter("site").tryAcquire("all", 101);
        store.failWith(FaultyStore.unreachable());
        Decision unknown = weir.limiter("user").tryAcquire("U");

        List<Decision> denials = new ArrayList<>(List.of(impossible, known, unknown));
        denials.sort(Decision.BY_WAIT);

        assertThat(denials).containsExactly(known, unknown, impossible);
        assertThat(new JointDecision(List.of(known, unknown)).retryAfter()).isEmpty();
    }
}
