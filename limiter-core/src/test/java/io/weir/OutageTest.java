package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Bandwidth;
import io.weir.store.LocalStore;
import io.weir.store.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutageTest {

    private static final Duration MILLI = Duration.ofMillis(1);
    private static final Limit LIMIT = Limit.named("api", FailurePolicy.GRANT)
            .bandwidth(Bandwidth.of(10, 1, Duration.ofSeconds(1)))
            .build();

    private final AtomicLong nowNanos = new AtomicLong();
    private final LogLines log = new LogLines();
    private final List<Long> fallbackNanos = new ArrayList<>();
    private final Outage outage = new Outage(LIMIT, nowNanos::get, new FallbackOnly());

    @AfterEach
    void closeLog() {
        log.close();
    }

    private void failures(int count, Duration apart) {
        for (int i = 0; i < count; i++) {
            outage.failed(FaultyStore.unreachable());
            nowNanos.addAndGet(apart.toNanos());
        }
    }

    private void pass(Duration time) {
        nowNanos.addAndGet(time.toNanos());
    }

    @Test
    void saysNothingWhileTheStoreAnswers() {
        outage.answered();

        assertThat(outage.ongoing()).isFalse();
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void logsItsBeginningOnceHoweverManyRequestsFail() {
        failures(1_000, MILLI);

        assertThat(outage.ongoing()).isTrue();
        assertThat(log.lines())
                .containsExactly("WARNING Limit \"api\" cannot reach its store (UNREACHABLE: the owner left)."
                        + " GRANT answers until it can.");
    }

    @Test
    void logsItsEndWithWhatItWasGoodFor() {
        failures(1_001, MILLI);
        pass(Outage.QUIET);

        outage.answered();

        assertThat(outage.ongoing()).isFalse();
        assertThat(log.lines())
                .hasSize(2)
                .last()
                .isEqualTo("INFO Limit \"api\" is exact again: for 1000 ms, GRANT answered 1001 requests.");
    }

    @Test
    void logsAtMostOneLineAnIntervalWhileItGoesOn() {
        failures(35_000, MILLI);

        assertThat(log.lines()).hasSize(4);
        assertThat(log.lines().subList(1, 4))
                .allMatch(line -> line.startsWith("WARNING Limit \"api\" still cannot reach its store"));
    }

    @Test
    void isOneWhileAnswersAndFailuresAlternate() {
        for (int i = 0; i < 1_000; i++) {
            outage.failed(FaultyStore.unreachable());
            pass(MILLI);
            outage.answered();
        }

        assertThat(outage.ongoing()).isTrue();
        assertThat(log.lines()).hasSize(1);
    }

    @Test
    void isOneHoweverOftenOthersAnswerWithinTheQuietOfAFailure() {
        outage.failed(FaultyStore.unreachable());
        pass(Outage.QUIET.minusNanos(1));
        outage.answered();
        assertThat(outage.ongoing()).isTrue();

        pass(Duration.ofNanos(1));
        outage.answered();
        assertThat(outage.ongoing()).isFalse();
    }

    @Test
    void isNotSaidToGoOnOnceNobodyHasAskedForAnInterval() {
        failures(1, Outage.SILENCE.minusNanos(1));
        assertThat(outage.ongoing()).isTrue();

        pass(Duration.ofNanos(1));
        assertThat(outage.ongoing()).isFalse();

        outage.failed(FaultyStore.unreachable());
        assertThat(outage.ongoing()).isTrue();
    }

    @Test
    void logsABeginningAndAnEndAnIntervalWhileItFlaps() {
        for (int i = 0; i < 60; i++) { // 90 seconds
            outage.failed(FaultyStore.unreachable());
            pass(Outage.QUIET.plusMillis(500));
            outage.answered();
        }

        assertThat(log.lines()).hasSize(2 * 9);
    }

    @Test
    void speaksOfAnOutageThatBeganSilentlyOnceItLasts() {
        failures(1, Outage.QUIET);
        outage.answered();

        failures(10_000, MILLI);
        pass(Outage.QUIET);
        outage.answered();

        assertThat(log.lines()).hasSize(4);
        assertThat(log.lines().get(2)).contains("still cannot reach its store");
        assertThat(log.lines().get(3)).contains("is exact again");
    }

    @Test
    void metersAllTheTimeThatItLasts() {
        failures(11, MILLI);
        assertThat(fallbackNanos).isEmpty(); // meters are not to be waited for by a request
        outage.tend();
        assertThat(fallbackNanos).containsExactly(MILLI.multipliedBy(11).toNanos());

        pass(Outage.QUIET);
        outage.answered();
        outage.tend();
        assertThat(fallbackNanos).hasSize(2).last().isEqualTo(Outage.QUIET.toNanos());

        pass(Outage.QUIET);
        failures(1, MILLI);
        assertThat(fallbackNanos).hasSize(2);
        assertThat(outage.health().inFallback())
                .isEqualTo(MILLI.multipliedBy(12).plus(Outage.QUIET));
    }

    @Test
    void countsTheTimeBetweenFailuresToo() {
        failures(1, Duration.ofSeconds(3));

        outage.tend();
        assertThat(fallbackNanos).containsExactly(Duration.ofSeconds(3).toNanos());
        outage.tend();
        assertThat(fallbackNanos).hasSize(1);
    }

    @Test
    void endsBySilenceThoughNobodyAsksAndCountsNoLonger() {
        failures(1, Outage.SILENCE.minusNanos(1));
        outage.tend();
        assertThat(outage.health().state()).isEqualTo(LimitHealth.State.DEGRADED);

        pass(Duration.ofHours(1));
        outage.tend();

        assertThat(outage.health().state()).isEqualTo(LimitHealth.State.EXACT);
        assertThat(outage.health().inFallback()).isEqualTo(Outage.SILENCE);
        assertThat(outage.health().lasting())
                .isEqualTo(Duration.ofHours(1).minusNanos(1)); // since it became silent, not since somebody looked
        assertThat(fallbackNanos.stream().mapToLong(Long::longValue).sum()).isEqualTo(Outage.SILENCE.toNanos());
        assertThat(log.lines())
                .hasSize(2)
                .last()
                .isEqualTo("INFO Limit \"api\" counts as exact again, since nobody has asked in vain for a while:"
                        + " for 0 ms, GRANT answered 1 requests.");
        assertThat(outage.isUnanswered()).isTrue();
        outage.answered();
        assertThat(outage.isUnanswered()).isFalse();
        assertThat(log.lines()).hasSize(2);
    }

    /** An hour in which nobody asked is no hour of fallback, whoever looks first. */
    @Test
    void isAnotherOneAfterASilence() {
        failures(3, Outage.SILENCE.plusHours(1));

        assertThat(outage.health().inFallback()).isEqualTo(Outage.SILENCE.multipliedBy(3));
        assertThat(log.lines()).filteredOn(line -> line.startsWith("WARNING")).hasSize(3);
    }

    @Test
    void tellsWhatItIsLike() {
        pass(Duration.ofMinutes(2));
        LimitHealth before = outage.health();
        assertThat(before)
                .isEqualTo(new LimitHealth(
                        "api",
                        LimitHealth.State.EXACT,
                        Duration.ofMinutes(2),
                        FailurePolicy.GRANT,
                        null,
                        null,
                        0,
                        Duration.ZERO));

        failures(5, MILLI);

        assertThat(outage.health())
                .isEqualTo(new LimitHealth(
                        "api",
                        LimitHealth.State.DEGRADED,
                        MILLI.multipliedBy(5),
                        FailurePolicy.GRANT,
                        StoreUnavailableException.Reason.UNREACHABLE,
                        "the owner left",
                        5,
                        MILLI.multipliedBy(5)));
    }

    @Test
    void neverNamesAKey() {
        FaultyStore store = new FaultyStore(nowNanos, OptionalInt.of(1));
        Limiter limiter = Weir.over(store).limit(LIMIT).build().limiter("api");
        store.failWith(FaultyStore.unreachable());
        limiter.tryAcquire("secret@example.com");
        Limiter full = Weir.over(LocalStore.create(nowNanos::get, 1))
                .limit(LIMIT)
                .build()
                .limiter("api");
        full.tryAcquire("first@example.com");
        full.tryAcquire("secret@example.com");

        assertThat(log.lines()).hasSize(2).noneMatch(line -> line.contains("example.com"));
    }

    @Test
    void isNotWhatAKillSwitchIsButThatIsLoggedToo() {
        Limiter limiter = Weir.over(LocalStore.create()).limit(LIMIT).build().limiter("api");

        limiter.switchOff();
        limiter.switchOn();

        assertThat(log.lines())
                .containsExactly(
                        "WARNING Limit \"api\" is switched off: everything is granted.",
                        "INFO Limit \"api\" is switched on.");
    }

    private final class FallbackOnly extends MetersOfNothing {
        @Override
        public void inFallback(long nanos) {
            assertThat(Thread.holdsLock(outage)).isFalse();
            fallbackNanos.add(nanos);
        }
    }
}
