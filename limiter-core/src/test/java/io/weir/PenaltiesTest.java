package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Penalty;
import io.weir.algorithm.Verdict;
import io.weir.store.Directive;
import io.weir.store.Directives;
import io.weir.store.LocalStore;
import io.weir.store.Source;
import io.weir.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Keys that are denied again and again, in one JVM on a clock that stands still; over members it is {@code ClusterPenaltiesTest}. */
class PenaltiesTest {

    private static final Duration DAY = Duration.ofDays(1);
    private static final long START = Duration.ofDays(20_000).toNanos();

    private final AtomicLong nowNanos = new AtomicLong(START);
    private final LocalStore buckets = LocalStore.create(nowNanos::get, 10_000);
    private final Directives directives = Directives.local(nowNanos::get);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private static Limit.Builder limit(String name, long version) {
        return Limit.named(name, FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(1, 1, Duration.ofDays(10_000)))
                .version(version);
    }

    private static Limit punishing(Penalty penalty) {
        return limit("login", 1).penalty(penalty).build();
    }

    private Weir over(Limit... limits) {
        return over(new AdministrationTest.OnOneClock(buckets, directives), limits);
    }

    private Weir over(Store store, Limit... limits) {
        Weir.Builder builder = Weir.over(store)
                .meters(MicrometerMeters.in(registry))
                .time(nowNanos::get, duration -> nowNanos.addAndGet(duration.toNanos()));
        for (Limit limit : limits) {
            builder.limit(limit);
        }
        return builder.build();
    }

    private void pass(Duration time) {
        nowNanos.addAndGet(time.toNanos());
    }

    private double counted(String name) {
        return registry.get(name).tag("limit", "login").counter().count();
    }

    private static Duration blockedFor(Limiter limiter, String key) {
        Decision decision = limiter.tryAcquire(key, Long.MAX_VALUE);
        return decision.source() == Source.BLOCKED ? decision.retryAfter().orElseThrow() : Duration.ZERO;
    }

    /** How many strikes it took; none if it is blocked already. */
    private static int strikeUntilBlocked(Limiter limiter, String key) {
        for (int strikes = 0; strikes < 100; strikes++) {
            if (limiter.tryAcquire(key).source() == Source.BLOCKED) {
                return strikes;
            }
        }
        throw new AssertionError("never blocked");
    }

    @Test
    void aKeyIsBlockedFromMemoryAfterMoreDenialsThanItMayHave() {
        Weir weir = over(punishing(Penalty.standard()));
        Limiter limiter = weir.limiter("login");
        assertThat(limiter.tryAcquire("bob").granted()).as("no strike").isTrue();

        assertThat(strikeUntilBlocked(limiter, "bob")).isEqualTo(4);

        Decision denied = limiter.tryAcquire("bob");
        assertThat(denied.source()).isEqualTo(Source.BLOCKED);
        assertThat(denied.retryAfter()).contains(Duration.ofSeconds(60));
        assertThat(limiter.tryAcquire("eve").granted()).as("others").isTrue();
        assertThat(weir.administration("ann").penalties(10)).singleElement().satisfies(each -> {
            assertThat(each.id()).isEqualTo(Directive.Id.ofBlock("login", "bob"));
            assertThat(each.actor()).isEqualTo("weir penalty");
            assertThat(each.content())
                    .isEqualTo(new Directive.Block(
                            START / 1_000_000 + 60_000,
                            "more than 3 strikes in PT1H, cool-down 1",
                            1,
                            START / 1_000_000 + 60_000 + DAY.toMillis()));
        });
        assertThat(counted("weir.penalties")).isEqualTo(1);
        assertThat(counted("weir.penalty.missed")).isZero();
    }

    @Test
    void coolDownsDoubleUpToTheLongestAndAnyStrikeBeginsTheNext() {
        Weir weir = over(punishing(Penalty.standard().withStrikes(3, DAY)));
        Limiter limiter = weir.limiter("login");
        limiter.tryAcquire("bob");
        List<Long> seconds = new ArrayList<>();
        List<Integer> strikes = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            strikes.add(strikeUntilBlocked(limiter, "bob"));
            assertThat(weir.administration("ann").penalties(10)).hasSize(1);
            Duration left = limiter.tryAcquire("bob").retryAfter().orElseThrow();
            seconds.add(left.toSeconds());
            pass(left.minusNanos(1));
            assertThat(limiter.tryAcquire("bob").source()).isEqualTo(Source.BLOCKED);
            pass(Duration.ofNanos(1));
            weir.tend();
        }
        assertThat(seconds).containsExactly(60L, 120L, 240L, 480L, 960L, 1_920L, 3_600L, 3_600L, 3_600L);
        assertThat(strikes).containsExactly(4, 1, 1, 1, 1, 1, 1, 1, 1);
        assertThat(weir.administration("ann").penalties(10))
                .as("the last is over")
                .isEmpty();
        assertThat(weir.administration("ann").list(10)).isEmpty();
    }

    /** As long as no cool-down was forgiven, whatever has become of the strikes. */
    @Test
    void strikesDecayAndSoDoLevels() {
        Penalty penalty = Penalty.standard().withForgivenAfter(Duration.ofHours(5));
        Limiter limiter = over(punishing(penalty)).limiter("login");
        limiter.tryAcquire("bob");
        for (int i = 0; i < 3; i++) {
            limiter.strike("bob");
        }
        pass(Duration.ofHours(1));
        assertThat(strikeUntilBlocked(limiter, "bob")).as("an hour later").isEqualTo(4);
        assertThat(blockedFor(limiter, "bob")).isEqualTo(Duration.ofSeconds(60));

        pass(Duration.ofSeconds(60).plusHours(5).minusMillis(1));
        assertThat(strikeUntilBlocked(limiter, "bob")).isEqualTo(4);
        assertThat(blockedFor(limiter, "bob")).as("a millisecond too early").isEqualTo(Duration.ofMinutes(2));

        pass(Duration.ofMinutes(2).plusHours(5));
        assertThat(strikeUntilBlocked(limiter, "bob")).isEqualTo(4);
        assertThat(blockedFor(limiter, "bob")).as("forgiven").isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void everyWayOfBeingDeniedIsAStrike() throws InterruptedException {
        Limit limit = punishing(Penalty.standard().withStrikes(1, DAY));
        Weir weir = over(limit, limit("other", 1).build());
        Limiter limiter = weir.limiter("login");
        List<String> keys = List.of("sync", "async", "acquired", "acquired async", "jointly", "jointly async", "own");
        keys.forEach(limiter::tryAcquire);
        for (int i = 0; i < 2; i++) {
            assertThat(limiter.tryAcquire("sync").verdict()).isEqualTo(Verdict.DENIED);
            limiter.tryAcquireAsync("async").join();
            limiter.acquire("acquired", 1, Duration.ofMillis(1));
            limiter.acquireAsync("acquired async", 1, Duration.ofMillis(1)).join();
            List<Ask> asks = List.of(Ask.of(limiter, "jointly"), Ask.of(weir.limiter("other"), "jointly"));
            weir.tryAcquire(asks);
            weir.tryAcquireAsync(List.of(Ask.of(limiter, "jointly async"))).join();
            assertThat(limiter.tryAcquire("too many", 2).verdict()).isEqualTo(Verdict.NEVER);
            limiter.strike("own");
            limiter.strike("own, and never asked for");
        }
        assertThat(weir.administration("ann").penalties(100))
                .extracting(each -> each.id().limit() + " " + each.id().key())
                .containsExactlyInAnyOrder(
                        "login sync",
                        "login async",
                        "login acquired",
                        "login acquired async",
                        "login jointly",
                        "login jointly async",
                        "login too many",
                        "login own",
                        "login own, and never asked for");
        assertThat(weir.limiter("other").peek("jointly").remaining())
                .as("it had granted, and was given back")
                .hasValue(1);
    }

    @Test
    void whatTheLimitItselfHasNotDeniedIsNoStrike() {
        FaultyStore store = new FaultyStore(nowNanos, OptionalInt.of(1));
        Penalty penalty = Penalty.standard().withStrikes(1, DAY);
        Limit shared = Limit.named("shared", FailurePolicy.LOCAL_SHARE)
                .bandwidth(Bandwidth.of(1, 1, DAY))
                .penalty(penalty)
                .build();
        Weir weir = over(store, punishing(penalty), shared);
        weir.administration("ann").block("login", "mallory", DAY, "");
        List<Limiter> limiters = List.copyOf(weir.limiters());
        limiters.forEach(each -> each.tryAcquire("bob"));
        store.failWith(FaultyStore.unreachable());
        for (int i = 0; i < 5; i++) {
            for (Limiter each : limiters) {
                assertThat(each.tryAcquire("bob").source()).isIn(Source.POLICY, Source.SHARE);
                each.tryAcquire("bob", 2);
                each.peek("bob");
            }
            limiters.get(0).tryAcquire("mallory");
        }
        assertThat(counted("weir.penalty.missed")).as("none was tried").isZero();
        store.recover();
        limiters.forEach(each -> assertThat(each.tryAcquire("bob").verdict()).isEqualTo(Verdict.DENIED));

        assertThat(weir.administration("ann").penalties(10))
                .as("that was the first")
                .isEmpty();
        limiters.forEach(each -> each.tryAcquire("bob"));
        assertThat(weir.administration("ann").penalties(10)).hasSize(2);
    }

    @Test
    void noStrikeIsCountedWhileAKeyIsBlockedOrTheLimitIsOff() {
        Weir weir = over(punishing(Penalty.standard().withStrikes(1, DAY)));
        Limiter limiter = weir.limiter("login");
        weir.administration("ann").block(Administration.EVERY_LIMIT, "bob", DAY, "");
        limiter.strike("bob");
        limiter.strike("bob");
        weir.administration("ann").unblock(Administration.EVERY_LIMIT, "bob");
        limiter.switchOff();
        limiter.strike("bob");
        limiter.strike("bob");
        limiter.switchOn();

        limiter.strike("bob");
        assertThat(blockedFor(limiter, "eve")).isZero();
        assertThat(weir.administration("ann").penalties(10)).isEmpty();
        limiter.strike("bob");
        assertThat(blockedFor(limiter, "bob")).isEqualTo(Duration.ofSeconds(60));
    }

    /** What a node knows when another was quicker, and it has not heard of that yet. */
    private static class Unheard implements Directives {
        private final Directives shared;
        private final List<Directive.Id> not;

        Unheard(Directives shared, List<Directive.Id> not) {
            this.shared = shared;
            this.not = not;
        }

        @Override
        public CompletableFuture<Outcome> publish(Directive directive) {
            not.remove(directive.id());
            return shared.publish(directive);
        }

        @Override
        public Optional<Directive> find(Directive.Id id) {
            return not.contains(id) ? Optional.empty() : shared.find(id);
        }

        @Override
        public Collection<Directive> all() {
            return shared.all();
        }

        @Override
        public void listen(Listener listener) {}

        @Override
        public long nowMillis() {
            return shared.nowMillis();
        }

        @Override
        public Duration behind() {
            return Duration.ZERO;
        }
    }

    @Test
    void twoNodesThatStrikeAtOnceEscalateOnce() {
        Limit limit = punishing(Penalty.standard());
        Limiter here = over(limit).limiter("login");
        Directive.Id id = Directive.Id.ofBlock("login", "bob");
        List<Directive.Id> unheard = new ArrayList<>(List.of(id));
        Limiter there = over(new AdministrationTest.OnOneClock(buckets, new Unheard(directives, unheard)), limit)
                .limiter("login");
        here.tryAcquire("bob");
        strikeUntilBlocked(here, "bob");
        Directive first = directives.find(id).orElseThrow();
        pass(Duration.ofMillis(1));

        there.strike("bob");

        assertThat(unheard).as("it was offered").isEmpty();
        assertThat(directives.find(id)).contains(first);
        assertThat(counted("weir.penalties")).isEqualTo(1);
        assertThat(counted("weir.penalty.missed")).isZero();
    }

    @Test
    void aPardonedKeyBeginsAnew() {
        Weir weir = over(punishing(Penalty.standard()), limit("mild", 1).build());
        Limiter limiter = weir.limiter("login");
        Administration ann = weir.administration("ann");
        limiter.tryAcquire("bob");
        strikeUntilBlocked(limiter, "bob");
        pass(Duration.ofSeconds(60));
        assertThat(strikeUntilBlocked(limiter, "bob")).isEqualTo(1);
        assertThat(blockedFor(limiter, "bob")).isEqualTo(Duration.ofMinutes(2));
        try (LogLines audit = new LogLines("io.weir.audit")) {
            ann.pardon("login", "bob");
            assertThat(audit.lines())
                    .containsExactly(
                            "INFO unblock limit=login key=\"bob\" version=3 by=\"ann\"",
                            "INFO pardon limit=login key=\"bob\" by=\"ann\"");
        }

        assertThat(ann.penalties(10)).isEmpty();
        assertThat(limiter.tryAcquire("bob").verdict()).as("of its balance").isEqualTo(Verdict.DENIED);
        assertThat(strikeUntilBlocked(limiter, "bob")).as("and one before").isEqualTo(3);
        assertThat(blockedFor(limiter, "bob")).isEqualTo(Duration.ofSeconds(60));

        pass(Duration.ofSeconds(61));
        ann.pardon("login", "bob");
        assertThat(strikeUntilBlocked(limiter, "bob"))
                .as("a level that was remembered")
                .isEqualTo(4);
        assertThat(blockedFor(limiter, "bob")).isEqualTo(Duration.ofSeconds(60));
        ann.block("login", "eve", DAY, "");
        ann.pardon("login", "eve");
        assertThat(blockedFor(limiter, "eve")).as("by a person").isEqualTo(DAY);
        ann.pardon("login", "nobody");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.pardon("mild", "bob"))
                .withMessageContaining("limit \"mild\" does not punish");
        assertThatIllegalStateException()
                .isThrownBy(() -> weir.limiter("mild").strike("bob"))
                .withMessageContaining("limit \"mild\" does not punish");
    }

    /** As of a node that is slow: it publishes when it is told to. */
    private static final class Slow extends Unheard {
        private final List<Runnable> waiting = new ArrayList<>();

        Slow(Directives shared) {
            super(shared, new ArrayList<>());
        }

        @Override
        public CompletableFuture<Outcome> publish(Directive directive) {
            CompletableFuture<Outcome> published = new CompletableFuture<>();
            waiting.add(() -> published.complete(super.publish(directive).join()));
            return published;
        }
    }

    @Test
    void aStrikeOfBeforeAPardonBlocksNobodyAfterIt() {
        Limit limit = punishing(Penalty.standard());
        Weir weir = over(limit);
        Slow slow = new Slow(directives);
        Limiter there =
                over(new AdministrationTest.OnOneClock(buckets, slow), limit).limiter("login");
        for (int i = 0; i < 4; i++) {
            there.strike("bob");
        }
        assertThat(slow.waiting).as("cool-downs that have been called for").hasSize(1);

        weir.administration("ann").pardon("login", "bob");
        slow.waiting.forEach(Runnable::run);

        assertThat(blockedFor(weir.limiter("login"), "bob")).isZero();
        assertThat(weir.administration("ann").penalties(10)).isEmpty();
        assertThat(counted("weir.penalty.missed")).isZero();
        assertThat(strikeUntilBlocked(weir.limiter("login"), "bob"))
                .as("one was granted, one denied for its size")
                .isEqualTo(4);
    }

    @Test
    void theWorstAreListedFirst() {
        Weir weir = over(punishing(Penalty.standard().withStrikes(1, DAY)));
        Limiter limiter = weir.limiter("login");
        Administration ann = weir.administration("ann");
        for (String key : List.of("old", "bad", "new")) {
            limiter.strike(key);
            limiter.strike(key);
            pass(Duration.ofSeconds(1));
        }
        ann.block("login", "blocked", DAY, "");
        assertThat(ann.penalties(10)).extracting(each -> each.id().key()).containsExactly("new", "bad", "old");
        pass(Duration.ofSeconds(58)); // all but the last are over
        assertThat(ann.penalties(10)).extracting(each -> each.id().key()).containsExactly("new");
        limiter.strike("bad");

        assertThat(ann.penalties(10)).extracting(each -> each.id().key()).containsExactly("bad", "new");
        assertThat(ann.penalties(1)).hasSize(1);
        assertThatIllegalArgumentException().isThrownBy(() -> ann.penalties(-1)).withMessageContaining("but is -1");
    }

    @Test
    void anAttackWithManyKeysLeavesOperatorsTheirHalfOfTheTable() {
        Weir weir = over(punishing(Penalty.standard().withStrikes(1, DAY)));
        Limiter limiter = weir.limiter("login");
        Administration ann = weir.administration("ann");
        try (LogLines log = new LogLines();
                LogLines audit = new LogLines("io.weir.audit")) {
            for (int i = 0; i < Directives.MOST_PENALTIES + 50; i++) {
                limiter.strike("bot " + i);
                limiter.strike("bot " + i);
            }
            assertThat(ann.penalties(20_000)).hasSize(Directives.MOST_PENALTIES);
            assertThat(counted("weir.penalties")).isEqualTo(Directives.MOST_PENALTIES);
            assertThat(counted("weir.penalty.missed")).isEqualTo(50);
            assertThat(log.lines()).singleElement().asString().contains("WARNING", "\"login\"", "cannot be blocked");
            assertThat(audit.lines()).hasSize(Directives.MOST_PENALTIES);
            ann.block("login", "by hand", DAY, "");
            ann.override("login", "tenant", Bandwidth.of(5, 1, DAY));

            pass(Strikes.CALM);
            limiter.strike("bot 5040");
            assertThat(log.lines()).as("once an interval").hasSize(2);
        }
        pass(Duration.ofMinutes(2)); // what has ended for sure makes room
        limiter.strike("late");
        limiter.strike("late");
        assertThat(blockedFor(limiter, "late")).isEqualTo(Duration.ofSeconds(60));
        assertThat(directives.all()).hasSize(Directives.MOST_PENALTIES + 2);
        assertThat(blockedFor(limiter, "by hand")).isPositive();
    }

    @Test
    void hostileKeysArePunishedAsThemselvesAndCannotForgeALine() {
        Weir weir = over(punishing(Penalty.standard().withStrikes(1, DAY)));
        Limiter limiter = weir.limiter("login");
        String longer = "x".repeat(10_000);
        List<String> hostile = List.of(longer, "lone \ud800", "", "\nby=\"root\"", "\"");
        try (LogLines audit = new LogLines("io.weir.audit")) {
            for (String key : hostile) {
                limiter.strike(key);
                limiter.strike(key);
                assertThat(blockedFor(limiter, key)).isEqualTo(Duration.ofSeconds(60));
            }
            assertThat(audit.lines())
                    .hasSize(5)
                    .allMatch(line -> line.matches("INFO block limit=login key=\"[ -!#-~]*\"(\\(of \\d+\\))? version=1"
                            + " until=\\d+ level=1 reason=\"[^\"]*\" by=\"weir penalty\""));
        }
        for (String key : List.of(longer + "x", "lone \ud801", "lone ?", " ")) {
            assertThat(limiter.tryAcquire(key).granted()).isTrue();
        }
        weir.administration("ann").pardon("login", longer);
        assertThat(blockedFor(limiter, longer)).isZero();
    }

    @Test
    void whatTheStoreDoesNotAnswerIsBoundedAndMissed() {
        FaultyStore store = new FaultyStore(nowNanos, OptionalInt.of(1));
        Limiter limiter = over(store, punishing(Penalty.standard())).limiter("login");
        store.hang();
        for (int i = 0; i < Strikes.MOST_KEYS; i++) {
            limiter.strike("bot " + i);
        }
        assertThat(counted("weir.penalty.missed")).isZero();
        limiter.strike("one more");
        limiter.strike("bot 1");
        assertThat(counted("weir.penalty.missed")).isEqualTo(1);
        store.reachDeadlines();
        assertThat(counted("weir.penalty.missed")).isEqualTo(1 + Strikes.MOST_KEYS);

        store.recover();
        for (int i = 0; i < 4; i++) {
            limiter.strike("one more");
        }
        assertThat(blockedFor(limiter, "one more")).isPositive();
    }

    @Test
    void aBugOfTheStoreIsSpokenOfOnceAndHurtsNobody() {
        FaultyStore store = new FaultyStore(nowNanos, OptionalInt.of(1));
        Limiter limiter = over(store, punishing(Penalty.standard())).limiter("login");
        try (LogLines log = new LogLines()) {
            store.throwAtOnce(new IllegalStateException("a bug"));
            limiter.strike("bob");
            store.failWith(new IllegalStateException("another"));
            limiter.strike("bob");
            assertThat(log.lines()).singleElement().asString().contains("could not be counted: there is a bug");
        }
        assertThat(counted("weir.penalty.missed")).isEqualTo(2);
    }

    @Test
    void numbersChangeWhileTheyAreInUseAndCountTheSameStrikes() {
        Weir weir = over(punishing(Penalty.standard()));
        Weir there = over(punishing(Penalty.standard()));
        Limiter limiter = weir.limiter("login");
        Administration ann = weir.administration("ann");
        Penalty harder = Penalty.standard()
                .withStrikes(1, Duration.ofHours(2))
                .withCooldown(Duration.ofSeconds(5), Duration.ofSeconds(7));
        limiter.strike("bob");
        limiter.strike("bob");

        ann.change(limit("login", 2).penalty(harder).build());

        there.limiter("login").strike("bob");
        assertThat(blockedFor(limiter, "bob")).isEqualTo(Duration.ofSeconds(5));
        pass(Duration.ofSeconds(5));
        limiter.strike("bob");
        assertThat(blockedFor(limiter, "bob")).isEqualTo(Duration.ofSeconds(7));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.change(limit("login", 3).build()))
                .withMessageContaining("punishes, which cannot be changed while it is in use");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        ann.change(limit("login", 2).penalty(Penalty.standard()).build()))
                .withMessageContaining("already, with another penalty: raise the version");
    }

    @Test
    void aLimitThatIsDefinedAtRunTimePunishesEverywhere() {
        Weir here = over(limit("other", 1).build());
        Weir there = over(limit("other", 1).build());
        Limit login = punishing(Penalty.standard().withStrikes(1, DAY));
        here.administration("ann").define(login);

        assertThat(there.limiter("login").limit()).isEqualTo(login);
        here.limiter("login").strike("bob");
        there.limiter("login").strike("bob");
        assertThat(blockedFor(here.limiter("login"), "bob")).isEqualTo(Duration.ofSeconds(60));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> here.administration("ann")
                        .define(limit("login.strikes", 1).build()))
                .withMessageContaining("\"login.strikes\" is called as the strikes of limit \"login\"");
        assertThat(directives.all()).hasSize(2);
    }

    @Test
    void refusesWhatCannotPunish() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        limit("tried", 1).shadow().penalty(Penalty.standard()).build())
                .withMessageContaining("limit \"tried\" is a shadow, which denies nothing, and cannot punish");
        String name = "n".repeat(56);
        assertThat(limit(name, 1).penalty(Penalty.standard()).build().name()).isEqualTo(name);
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> limit(name + "n", 1).penalty(Penalty.standard()).build())
                .withMessageContaining("at most 56 characters but has 57");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> over(limit("login.strikes", 1).build(), punishing(Penalty.standard())))
                .withMessageContaining("choose another name");
        Limit plain = limit("login", 1).build();
        assertThat(plain).isNotEqualTo(punishing(Penalty.standard()));
        assertThat(punishing(Penalty.standard())).isEqualTo(punishing(Penalty.standard()));
        assertThat(punishing(Penalty.standard()).toString()).contains("Penalty[strikes=3");
    }
}
