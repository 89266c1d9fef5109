package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.Verdict;
import io.weir.store.Buckets;
import io.weir.store.Directive;
import io.weir.store.Directives;
import io.weir.store.Leasing;
import io.weir.store.LocalStore;
import io.weir.store.Source;
import io.weir.store.Store;
import io.weir.store.StoreUnavailableException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Changes of limits that are in use, in one JVM; over members and clients it is {@code LiveLimitsTest}. */
class AdministrationTest {

    private static final Duration DAY = Duration.ofDays(1);
    private static final long START = Duration.ofDays(20_000).toNanos();

    private final AtomicLong nowNanos = new AtomicLong(START);
    private final LocalStore buckets = LocalStore.create(nowNanos::get, 1_000);
    private final Store store = new OnOneClock(buckets, Directives.local(nowNanos::get));

    /** A store of which everything goes by one clock that stands still. */
    record OnOneClock(LocalStore store, Directives directives) implements Store {
        @Override
        public Buckets buckets(String limit, Rule rule, Leasing leasing) {
            return store.buckets(limit, rule, leasing);
        }

        @Override
        public OptionalInt nodes() {
            return store.nodes();
        }

        @Override
        public void close() {
            store.close();
        }
    }

    private static Limit limit(String name, long version, long capacity) {
        return Limit.named(name, FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(capacity, 1, DAY))
                .version(version)
                .build();
    }

    private Weir over(Limit... limits) {
        Weir.Builder builder = Weir.over(store).time(nowNanos::get, duration -> nowNanos.addAndGet(duration.toNanos()));
        for (Limit limit : limits) {
            builder.limit(limit);
        }
        return builder.build();
    }

    @Test
    void aChangeIsInForceOnEveryNodeAndCarriesBalancesOver() {
        Weir here = over(limit("a", 1, 10));
        Weir there = over(limit("a", 1, 10));
        assertThat(here.limiter("a").tryAcquire("bob", 4).granted()).isTrue();

        here.administration("ann").change(limit("a", 2, 100));

        assertThat(there.limiter("a").limit()).isEqualTo(limit("a", 2, 100));
        assertThat(there.limiter("a").peek("bob").remaining()).hasValue(60);
        here.administration("ann").change(limit("a", 2, 100));
        assertThat(there.limiter("a").peek("bob").remaining())
                .as("the same again")
                .hasValue(60);
    }

    @Test
    void aNodeThatStartsWithAnOlderConfigurationGoesByWhatIsInForce() {
        over(limit("a", 1, 10)).administration("ann").change(limit("a", 3, 30));

        Weir restarted = over(limit("a", 2, 20));

        assertThat(restarted.limiter("a").limit()).isEqualTo(limit("a", 3, 30));
        assertThat(over(limit("a", 4, 40)).limiter("a").limit())
                .as("a newer one")
                .isEqualTo(limit("a", 4, 40));
        assertThat(restarted.limiter("a").limit()).isEqualTo(limit("a", 3, 30));
    }

    @Test
    void aLimitIsDefinedAndRemovedEverywhere() {
        Weir here = over(limit("a", 1, 10));
        Weir there = over(limit("a", 1, 10));
        Administration ann = here.administration("ann");

        ann.define(limit("b", 1, 5));
        ann.define(limit("b", 1, 5));
        assertThat(there.limiter("b").tryAcquire("bob", 5).granted()).isTrue();
        assertThat(here.limiter("b").tryAcquire("bob").granted())
                .as("one bucket")
                .isFalse();
        assertThat(over(limit("a", 1, 10)).limiters())
                .extracting(each -> each.limit().name())
                .containsExactly("a", "b");
        Limiter held = there.limiter("b");

        ann.override("b", "bob", Bandwidth.of(50, 50, Duration.ofDays(1)));
        ann.remove("b");
        ann.clearOverride("b", "bob"); // what was said of its keys goes too
        assertThat(there.limiters()).hasSize(1);
        assertThat(held.tryAcquire("eve", 5).granted()).as("who still holds it").isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.remove("b"))
                .withMessageContaining("no limit called \"b\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.define(limit("b", 2, 5)))
                .withMessageContaining("was removed at version 2: give it a higher one than 2");
        ann.define(limit("b", 3, 7));
        assertThat(there.limiter("b").limit()).isEqualTo(limit("b", 3, 7));
    }

    @Test
    void aLimitThatOneNodeWasStartedWithIsDefinedForTheOthers() {
        Weir here = over(limit("a", 1, 10), limit("b", 1, 10));
        Weir there = over(limit("a", 1, 10));
        assertThat(here.limiter("b").tryAcquire("bob", 4).granted()).isTrue();

        here.administration("ann").define(limit("b", 1, 10));

        assertThat(there.limiter("b").peek("bob").remaining()).hasValue(6);
        there.administration("ann").change(limit("a", 1, 10));
        assertThat(store.directives().all())
                .as("the same numbers are no change")
                .hasSize(2);
    }

    @Test
    void refusesBadDefinitionsBeforeAnythingIsPublished() {
        Weir weir = over(limit("a", 5, 10));
        Administration ann = weir.administration("ann");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.change(limit("a", 4, 20)))
                .withMessageContaining("cannot go back to 4");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.change(limit("a", 5, 20)))
                .withMessageContaining("raise the version");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.change(Limit.named("a", FailurePolicy.GRANT)
                        .bandwidth(Bandwidth.of(10, 1, DAY))
                        .version(6)
                        .build()))
                .withMessageContaining("cannot be changed to GRANT");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.change(limit("b", 1, 20)))
                .withMessageContaining("no limit called");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.define(limit("a", 6, 20)))
                .withMessageContaining("change it");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.remove("a"))
                .withMessageContaining("own configuration");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.change(Limit.named("a", FailurePolicy.DENY)
                        .bandwidth(Bandwidth.of(10, 1, DAY))
                        .deadline(DAY.dividedBy(24))
                        .version(5)
                        .build()))
                .withMessageContaining("with another deadline: raise the version");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> weir.administration("x".repeat(101)))
                .withMessageContaining("at most 100");

        assertThat(store.directives().all()).isEmpty();
        assertThat(weir.limiter("a").limit()).isEqualTo(limit("a", 5, 10));
    }

    @Test
    void saysThatSomebodyElseWasQuicker() {
        Weir weir = over(limit("a", 1, 10));
        Directives raced = new Raced(store.directives(), limit("a", 2, 99));
        Weir late = Weir.over(new OnOneClock(buckets, raced))
                .limit(limit("a", 1, 10))
                .build();

        assertThatIllegalStateException()
                .isThrownBy(() -> late.administration("bob").change(limit("a", 2, 20)))
                .withMessageContaining("by somebody else meanwhile, to version 2");
        assertThat(weir.limiter("a").limit()).isEqualTo(limit("a", 2, 99));
    }

    /** Another node publishes something just before. */
    private record Raced(Directives shared, Limit quicker) implements Directives {
        @Override
        public CompletableFuture<Outcome> publish(Directive directive) {
            shared.publish(new Directive(
                            Directive.Id.ofDefinition(quicker.name()),
                            quicker.rule().version(),
                            quicker.definition(),
                            "eve",
                            1))
                    .join();
            return shared.publish(directive);
        }

        @Override
        public Optional<Directive> find(Directive.Id id) {
            return shared.find(id);
        }

        @Override
        public Collection<Directive> all() {
            return shared.all();
        }

        @Override
        public void listen(Listener listener) {
            shared.listen(listener);
        }

        @Override
        public long nowMillis() {
            return shared.nowMillis();
        }

        @Override
        public Duration behind() {
            return Duration.ofSeconds(7);
        }
    }

    @Test
    void healthSaysForHowLongANodeHasNotHeardOfDirectives() {
        Weir cutOff = Weir.over(new OnOneClock(buckets, new Raced(store.directives(), limit("a", 2, 99))))
                .limit(limit("a", 1, 10))
                .build();

        assertThat(cutOff.health().behind()).isEqualTo(Duration.ofSeconds(7));
        assertThat(over(limit("a", 1, 10)).health().behind()).isEqualTo(Duration.ZERO);
    }

    @Test
    void whatCannotBeAppliedHereStaysAsItIsAndIsSpokenOfOnce() {
        Weir weir = over(limit("a", 1, 10));
        Limit otherPolicy = Limit.named("a", FailurePolicy.GRANT)
                .bandwidth(Bandwidth.of(20, 1, DAY))
                .version(2)
                .build();
        try (LogLines log = new LogLines()) {
            publish(otherPolicy.definition(), "a", 2, "an\nn");
            publish(new Directive.Definition(otherPolicy.rule(), "SOMETHING_NEW", 1, false), "c", 2, "ann");
            assertThat(log.lines()).hasSize(2);
            assertThat(log.lines().get(0))
                    .contains("define limit=a version=2")
                    .contains("by=\"an\\u000an\"")
                    .contains("cannot be changed to GRANT");
            assertThat(log.lines().get(1)).contains("does not know the failure policy SOMETHING_NEW");
        }
        assertThat(weir.limiter("a").limit()).isEqualTo(limit("a", 1, 10));
        assertThat(weir.limiters()).hasSize(1);
        weir.administration("ann").block("a", "bob", DAY, "");
        assertThat(weir.limiter("a").tryAcquire("bob").granted())
                .as("all else is applied")
                .isFalse();
    }

    private void publish(Directive.Content content, String limit, long version, String actor) {
        store.directives()
                .publish(new Directive(Directive.Id.ofDefinition(limit), version, content, actor, 1))
                .join();
    }

    @Test
    void aBlockedKeyIsDeniedUntilTheEndOfTheBlockAndNotCharged() throws InterruptedException {
        Weir weir = over(limit("a", 1, 10), limit("b", 1, 10));
        weir.administration("ann").block("a", "bob", Duration.ofSeconds(60), "too many logins");

        Decision denied = weir.limiter("a").tryAcquire("bob", 3);
        assertThat(denied.granted()).isFalse();
        assertThat(denied.source()).isEqualTo(Source.BLOCKED);
        assertThat(denied.retryAfter()).contains(Duration.ofSeconds(60));
        assertThat(denied.remaining()).isEmpty();
        assertThat(denied.refund().join()).isFalse();
        assertThat(weir.limiter("a").tryAcquireAsync("bob").join().source()).isEqualTo(Source.BLOCKED);
        assertThat(weir.limiter("a").peek("bob").remaining()).hasValue(10);
        assertThat(weir.limiter("a").tryAcquire("eve").granted()).isTrue();
        assertThat(weir.limiter("b").tryAcquire("bob").granted()).isTrue();

        nowNanos.addAndGet(Duration.ofSeconds(60).toNanos() - 1);
        assertThat(weir.limiter("a").tryAcquire("bob").retryAfter()).contains(Duration.ofNanos(1));
        assertThat(weir.limiter("a").acquire("bob", 10, Duration.ofNanos(1)).source())
                .as("a block is not waited out")
                .isEqualTo(Source.BLOCKED);
        nowNanos.addAndGet(1);
        assertThat(weir.limiter("a").tryAcquire("bob", 10).granted()).isTrue();
    }

    @Test
    void theLaterEndOfTwoBlocksCounts() {
        Weir weir = over(limit("a", 1, 10));
        Administration ann = weir.administration("ann");

        ann.block("a", "bob", Duration.ofSeconds(60), "");
        ann.block("a", "bob", Duration.ofSeconds(10), "");
        assertThat(weir.limiter("a").tryAcquire("bob").retryAfter()).contains(Duration.ofSeconds(60));
        assertThat(store.directives()
                        .find(Directive.Id.ofBlock("a", "bob"))
                        .orElseThrow()
                        .version())
                .as("nothing was published for nothing")
                .isEqualTo(1);
        ann.block(Administration.EVERY_LIMIT, "bob", Duration.ofSeconds(90), "");
        assertThat(weir.limiter("a").tryAcquire("bob").retryAfter()).contains(Duration.ofSeconds(90));

        ann.unblock(Administration.EVERY_LIMIT, "bob");
        assertThat(weir.limiter("a").tryAcquire("bob").retryAfter()).contains(Duration.ofSeconds(60));
        ann.unblock("a", "bob");
        ann.unblock("a", "nobody");
        assertThat(weir.limiter("a").tryAcquire("bob").granted()).isTrue();
        ann.block("a", "bob", Duration.ofSeconds(5), "");
        assertThat(weir.limiter("a").tryAcquire("bob").retryAfter()).contains(Duration.ofSeconds(5));
    }

    @Test
    void aBlockUnderEveryLimitIsOneUnderThoseThatComeLaterToo() {
        Weir weir = over(limit("a", 1, 10));
        Administration ann = weir.administration("ann");
        ann.block(Administration.EVERY_LIMIT, "bob", DAY, "");
        ann.define(limit("b", 1, 10));
        ann.block("b", "eve", DAY, "");
        assertThat(weir.limiter("b").tryAcquire("bob").granted()).isFalse();

        Weir restarted = over(limit("a", 1, 10));
        assertThat(restarted.limiter("b").tryAcquire("bob").granted()).isFalse();
        assertThat(restarted.limiter("b").tryAcquire("eve").granted()).isFalse();
        assertThat(restarted.limiter("a").tryAcquire("eve").granted()).isTrue();
    }

    @Test
    void longAndMalformedKeysAreBlockedAsThemselves() {
        Weir weir = over(limit("a", 1, 10));
        String longer = "x".repeat(10_000);
        for (String key : List.of(longer, "lone \ud800", "", "\n")) {
            weir.administration("ann").block("a", key, DAY, "");
            assertThat(weir.limiter("a").tryAcquire(key).granted()).isFalse();
        }
        for (String key : List.of(longer + "x", "lone \ud801", "lone ?", " ")) {
            assertThat(weir.limiter("a").tryAcquire(key).granted()).isTrue();
        }
    }

    @Test
    void blocksThatAreOverAreForgotten() {
        Weir weir = over(limit("a", 1, 10));
        weir.administration("ann").block("a", "bob", Duration.ofSeconds(60), "");
        weir.administration("ann").block(Administration.EVERY_LIMIT, "bob", Duration.ofSeconds(60), "");
        weir.tend();
        assertThat(weir.limiter("a").asking().blocks().isEmpty()).isFalse();

        nowNanos.addAndGet(Duration.ofSeconds(60).toNanos());
        weir.tend();
        assertThat(weir.limiter("a").asking().blocks().isEmpty()).isTrue();
        assertThat(weir.administration("ann").list(10)).isEmpty();
    }

    @Test
    void refusesBlocksThatAreNone() {
        Administration ann = over(limit("a", 1, 10)).administration("ann");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.block("a", "bob", Duration.ZERO, ""))
                .withMessageContaining("but not for PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.block("a", "bob", Administration.LONGEST_BLOCK.plusMillis(1), ""))
                .withMessageContaining("PT87600H");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.block("b", "bob", DAY, ""))
                .withMessageContaining("no limit called");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.block("a", "bob", DAY, "x".repeat(201)))
                .withMessageContaining("reason");
        assertThat(store.directives().all()).isEmpty();
    }

    @Test
    void listsWhatIsInForceInOrderAndBounded() {
        Weir weir = over(limit("b", 1, 10), limit("a", 1, 10));
        Administration ann = weir.administration("ann");
        ann.block("b", "y", DAY, "");
        ann.block("b", "x", DAY, "");
        ann.change(limit("b", 2, 20));
        ann.block("a", "z", DAY, "");
        ann.block("a", "gone", DAY, "");
        ann.unblock("a", "gone");

        assertThat(ann.list(10))
                .extracting(Directive::id)
                .containsExactly(
                        Directive.Id.ofBlock("a", "z"),
                        Directive.Id.ofDefinition("b"),
                        Directive.Id.ofBlock("b", "x"),
                        Directive.Id.ofBlock("b", "y"));
        assertThat(ann.list(2)).hasSize(2);
        assertThat(ann.list(0)).isEmpty();
        assertThatIllegalArgumentException().isThrownBy(() -> ann.list(-1)).withMessageContaining("-1");
    }

    @Test
    void everyChangeIsALineThatNobodyCanForge() {
        Weir weir = over(limit("a", 1, 10));
        Administration mallory = weir.administration("mallory\" by=\"ann\n");
        try (LogLines log = new LogLines("io.weir.audit")) {
            mallory.change(limit("a", 2, 20));
            mallory.block("a", "key\r\n" + "\u2028".repeat(100), Duration.ofSeconds(1), "{0} \u202e");
            mallory.unblock("a", "nobody");
            mallory.block("a", "bob", DAY, "x".repeat(200));
            mallory.unblock("a", "bob");

            assertThat(log.lines()).hasSize(4);
            assertThat(log.lines()).allSatisfy(line -> {
                assertThat(line).startsWith("INFO ").matches("[ -~]*").hasSizeLessThan(800);
                assertThat(line).endsWith("by=\"mallory\\u0022 by=\\u0022ann\\u000a\"");
            });
            assertThat(log.lines().get(0)).contains("define limit=a version=2 numbers=[default:20+1/PT24H]");
            assertThat(log.lines().get(1)).contains("reason=\"{0} \\u202e\"").contains("(of 105)");
            assertThat(log.lines().get(3)).contains("unblock limit=a key=\"bob\" version=2 by=");
        }
    }

    @Test
    void anOutageIsToldAsOne() {
        Weir weir = Weir.over(new OnOneClock(buckets, new Unreachable(store.directives())))
                .limit(limit("a", 1, 10))
                .build();
        try (LogLines log = new LogLines("io.weir.audit")) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> weir.administration("ann").change(limit("a", 2, 20)));
            assertThat(log.lines()).isEmpty();
        }
        assertThat(weir.limiter("a").limit()).isEqualTo(limit("a", 1, 10));
    }

    private record Unreachable(Directives shared) implements Directives {
        @Override
        public CompletableFuture<Outcome> publish(Directive directive) {
            return CompletableFuture.failedFuture(
                    StoreUnavailableException.beforeSending(StoreUnavailableException.Reason.UNREACHABLE, "cut off"));
        }

        @Override
        public Optional<Directive> find(Directive.Id id) {
            return shared.find(id);
        }

        @Override
        public Collection<Directive> all() {
            return shared.all();
        }

        @Override
        public void listen(Listener listener) {
            shared.listen(listener);
        }

        @Override
        public long nowMillis() {
            return shared.nowMillis();
        }

        @Override
        public Duration behind() {
            return shared.behind();
        }
    }

    @Test
    @Timeout(60)
    void theStoreHoldsOnToNoWeirButALimiterKeepsFollowing() {
        Limiter kept = over(limit("a", 1, 10)).limiter("a");
        WeakReference<Weir> forgotten = new WeakReference<>(over(limit("a", 1, 10)));
        while (forgotten.get() != null) {
            System.gc();
        }

        over(limit("a", 1, 10)).administration("ann").change(limit("a", 2, 20));

        assertThat(kept.limit()).isEqualTo(limit("a", 2, 20));
    }

    @Test
    void anOverrideIsAKeysOwnAndCarriesItsBalanceOverAndBack() {
        Weir here = over(limit("a", 1, 10));
        Weir there = over(limit("a", 1, 10));
        assertThat(here.limiter("a").tryAcquire("bob", 4).granted()).isTrue();

        here.administration("ann").override("a", "bob", Bandwidth.of(1_000, 1, DAY));
        assertThat(there.limiter("a").peek("bob").remaining()).hasValue(600);
        assertThat(there.limiter("a").tryAcquire("bob", 500).granted()).isTrue();
        assertThat(there.limiter("a").tryAcquireAsync("bob", 2_000).join().impossible())
                .isTrue();
        assertThat(there.limiter("a").tryAcquire("eve", 11).impossible()).isTrue();
        here.administration("ann").override("a", "bob", Bandwidth.of(1_000, 1, DAY));
        assertThat(here.administration("ann").list(10))
                .extracting(Directive::version)
                .containsExactly(1L);

        here.administration("ann").change(limit("a", 2, 100));
        assertThat(there.limiter("a").peek("bob").remaining()).hasValue(100);
        there.administration("ann").clearOverride("a", "bob");
        there.administration("ann").clearOverride("a", "bob");
        assertThat(here.limiter("a").peek("bob").remaining()).hasValue(10);
        assertThat(here.limiter("a").peek("bob").capacity()).isEqualTo(100);
        here.administration("ann").change(limit("a", 3, 10));
        assertThat(here.limiter("a").peek("bob").remaining())
                .as("also of a key that had numbers of its own")
                .hasValue(1);
    }

    @Test
    void anOverrideHoldsForANodeThatComesLater() {
        Weir here = over(limit("a", 1, 10));
        here.administration("ann").override("a", "bob", Bandwidth.of(1_000, 1, DAY));
        here.administration("ann").override("a", "eve", Bandwidth.of(1_000, 1, DAY));
        here.administration("ann").clearOverride("a", "eve");

        Limiter late = over(limit("a", 1, 10)).limiter("a");

        assertThat(late.tryAcquire("bob", 900).remaining()).hasValue(100);
        assertThat(late.tryAcquire("eve", 900).impossible()).isTrue();
    }

    @Test
    void aKeyInUseWhoseOverrideIsForgottenKeepsToItsLimit() {
        ForgetfulDirectives directives = new ForgetfulDirectives(nowNanos::get);
        Weir weir = Weir.over(new OnOneClock(buckets, directives))
                .limit(limit("a", 1, 10))
                .build();
        Administration ann = weir.administration("ann");
        ann.override("a", "bob", Bandwidth.of(1_000, 1, DAY));
        ann.clearOverride("a", "bob");
        assertThat(weir.limiter("a").tryAcquire("bob", 4).granted()).isTrue();

        directives.forgetAll();
        ann.change(limit("a", 2, 100));

        assertThat(weir.limiter("a").peek("bob").capacity()).isEqualTo(100);
        assertThat(weir.limiter("a").tryAcquire("bob").remaining()).hasValue(59);
    }

    /** By a node that was started later, and can know of the first only from the bucket. */
    @Test
    void anOverrideAfterAForgottenOneIsAboveIt() {
        ForgetfulDirectives directives = new ForgetfulDirectives(nowNanos::get);
        Store forgetful = new OnOneClock(buckets, directives);
        Limiter here = Weir.over(forgetful).limit(limit("a", 1, 10)).build().limiter("a");
        Administration ann =
                Weir.over(forgetful).limit(limit("a", 1, 10)).build().administration("ann");
        ann.override("a", "bob", Bandwidth.of(1_000, 1, DAY));
        ann.clearOverride("a", "bob");
        assertThat(here.tryAcquire("bob", 4).granted()).isTrue();
        directives.forgetAll();
        buckets.buckets("a", limit("a", 1, 10).rule()).override("bob", null); // which nodes of one JVM have in common

        Weir late = Weir.over(forgetful).limit(limit("a", 1, 10)).build();
        late.administration("bob").override("a", "bob", Bandwidth.of(500, 1, DAY));

        assertThat(directives.all()).extracting(Directive::version).containsExactly(3L);
        assertThat(here.peek("bob").capacity()).isEqualTo(500);
        assertThat(here.peek("bob").remaining()).hasValue(300);
    }

    @Test
    void theVersionOfAKeysRuleRisesWithWhatIsKnown() {
        assertThat(KeyVersion.of("a", 1, 1)).isGreaterThan(KeyVersion.MOST_OF_A_LIMIT);
        assertThat(KeyVersion.of("a", 1, 2)).isGreaterThan(KeyVersion.of("a", 1, 1));
        assertThat(KeyVersion.of("a", 2, 1)).isGreaterThan(KeyVersion.of("a", 1, KeyVersion.MOST_OF_A_LIMIT));
        assertThat(KeyVersion.of("a", KeyVersion.MOST_OF_A_KEY, KeyVersion.MOST_OF_A_LIMIT))
                .isEqualTo(Long.MAX_VALUE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyVersion.of("a", KeyVersion.MOST_OF_A_KEY + 1, 1))
                .withMessageContaining("under limit \"a\" can be set or cleared 524287 times but this is time 524288");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyVersion.of("a", 1, KeyVersion.MOST_OF_A_LIMIT + 1))
                .withMessageContaining("limit \"a\" has version 17592186044416, but");
    }

    @Test
    void refusesOverridesThatAreNone() {
        Weir weir = over(limit("a", KeyVersion.MOST_OF_A_LIMIT + 1, 10), limit("b", 1, 10));
        Administration ann = weir.administration("ann");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.override("a", "bob", Bandwidth.of(1, 1, DAY)))
                .withMessageContaining("limit \"a\" has version 17592186044416, but");
        assertThatIllegalArgumentException().isThrownBy(() -> ann.override("b", "bob"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.override("c", "bob", Bandwidth.of(1, 1, DAY)))
                .withMessageContaining("no limit called");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ann.override("b", "bob", Bandwidth.of(1, 1, DAY), Bandwidth.of(2, 1, DAY)))
                .withMessageContaining("default");
        assertThat(store.directives().all()).isEmpty();
    }

    @Test
    void looksAtAKey() {
        Weir weir = Weir.over(store)
                .limit(limit("a", 1, 10))
                .time(nowNanos::get, duration -> {})
                .rememberDecisions(4)
                .build();
        Administration ann = weir.administration("ann");
        for (int i = 1; i <= 5; i++) {
            weir.limiter("a").tryAcquire("bob", i);
            weir.limiter("a").tryAcquireAsync("eve", i).join();
        }
        ann.block(Administration.EVERY_LIMIT, "bob", Duration.ofSeconds(60), "");
        nowNanos.addAndGet(1_000);

        KeyLook look = ann.look("a", "bob");
        assertThat(look.balance().remaining()).hasValue(0);
        assertThat(look.blockedFor()).isEqualTo(Duration.ofSeconds(60).minusNanos(1_000));
        assertThat(look.ownNumbers()).isEmpty();
        assertThat(look.heldHere()).isZero();
        assertThat(look.decisions())
                .containsExactly(
                        new KeyLook.Seen(4, Verdict.GRANTED, Source.LOCAL, Duration.ofNanos(1_000)),
                        new KeyLook.Seen(5, Verdict.DENIED, Source.LOCAL, Duration.ofNanos(1_000)));

        ann.override("a", "eve", Bandwidth.of(100, 1, DAY));
        assertThat(ann.look("a", "eve").ownNumbers()).isPresent();
        assertThat(ann.look("a", "eve").blockedFor()).isEqualTo(Duration.ZERO);
        assertThat(over(limit("b", 1, 10)).administration("ann").look("b", "x").decisions())
                .as("not remembered unless asked for")
                .isEmpty();
        assertThatIllegalArgumentException().isThrownBy(() -> ann.look("c", "bob"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Weir.over(store).rememberDecisions(0))
                .withMessageContaining("1 to 100000 but are 0");
    }

    @Test
    void resetsAKey() {
        Weir weir = over(limit("a", 1, 10));
        Administration ann = weir.administration("ann");
        assertThat(weir.limiter("a").tryAcquire("bob", 10).granted()).isTrue();
        assertThat(weir.limiter("a").tryAcquire("eve", 10).granted()).isTrue();
        try (LogLines log = new LogLines("io.weir.audit")) {
            ann.reset("a", "bob");
            ann.reset("a", "nobody");
            assertThat(log.lines().get(0)).isEqualTo("INFO reset limit=a key=\"bob\" by=\"ann\"");
        }
        assertThat(weir.limiter("a").peek("bob").remaining()).hasValue(10);
        assertThat(weir.limiter("a").peek("eve").remaining()).hasValue(0);
        assertThatIllegalArgumentException().isThrownBy(() -> ann.reset("c", "bob"));
        weir.close();
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> ann.reset("a", "bob"));
    }

    private static Limit shadow(String name, String of) {
        return Limit.named(name, FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(1, 1, DAY))
                .shadowOf(of)
                .build();
    }

    @Test
    void aShadowIsDefinedBesideAnEnforcedLimitOnly() {
        Weir here = over(limit("a", 1, 10));
        Administration ann = here.administration("ann");
        ann.define(shadow("tried", "a"));

        for (Limit wrong : List.of(shadow("self", "self"), shadow("lost", "missing"), shadow("second", "tried"))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ann.define(wrong))
                    .withMessageContaining("it can only stand beside a limit that is enforced");
            assertThat(here.limiters()).hasSize(2);
        }
    }

    @Test
    void aShadowThatCannotStandHereIsSpokenOfOnce() {
        Weir here = over(limit("a", 1, 10), shadow("tried", "a"));
        try (LogLines log = new LogLines()) {
            for (Limit wrong : List.of(shadow("self", "self"), shadow("lost", "missing"), shadow("second", "tried"))) {
                publish(wrong.definition(), wrong.name(), 1, "ann");
            }
            assertThat(log.lines()).hasSize(3);
        }
        assertThat(here.limiters()).hasSize(2);
        assertThat(here.limiter("a").tryAcquire("bob").granted()).isTrue();
    }

    @Test
    void aShadowMayBeHeardOfBeforeTheLimitThatItStandsBeside() {
        Weir first = over(limit("a", 1, 10));
        first.administration("ann").define(limit("z", 1, 10));
        first.administration("ann").define(shadow("b", "z"));

        Weir later = over(limit("a", 1, 10));
        later.limiter("z").tryAcquire("bob");

        assertThat(later.limiter("b").peek("bob").remaining()).hasValue(0);
    }
}
