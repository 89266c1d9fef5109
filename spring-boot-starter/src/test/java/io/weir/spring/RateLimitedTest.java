package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Weir;
import io.weir.store.Store;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.math.BigDecimal;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.GenericBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.support.ApplicationObjectSupport;
import org.springframework.core.OverridingClassLoader;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.annotation.AliasFor;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class RateLimitedTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(WeirAutoConfiguration.class, RateLimitedAutoConfiguration.class))
            .withPropertyValues(
                    "weir.store=local",
                    "weir.limits.three.failure-policy=deny",
                    "weir.limits.three.capacity=3",
                    "weir.limits.three.refill=3/day");

    @Test
    void deniesWhenEmptyAndNamesTheLimit() {
        withShop(shop -> {
            assertThat(shop.order("ann")).isEqualTo("order of ann");
            shop.order("ann");
            shop.order("ann");

            assertThatThrownBy(() -> shop.order("ann"))
                    .isInstanceOfSatisfying(RateLimitedException.class, denied -> {
                        assertThat(denied.decision().limit().name()).isEqualTo("three");
                        assertThat(denied.decision().retryAfter()).isPresent();
                    })
                    .hasMessageContaining("limit \"three\" denied 1 permits, retry after");
            assertThat(shop.calls()).isEqualTo(3);
        });
    }

    @Test
    void countsKeysApart() {
        withShop(shop -> {
            for (int i = 0; i < 3; i++) {
                shop.order("ann");
            }
            assertThat(shop.order("bob")).isEqualTo("order of bob");
        });
    }

    @Test
    void chargesWhatTheExpressionSays() {
        withShop(shop -> {
            shop.rows("ann", 2);

            assertThatThrownBy(() -> shop.rows("ann", 2)).isInstanceOf(RateLimitedException.class);
            shop.rows("ann", 1);
        });
    }

    @Test
    void isFreeForZeroPermits() {
        withShop(shop -> {
            shop.rows("ann", 3);
            shop.rows("ann", 0);
            assertThatThrownBy(() -> shop.rows("ann", 1)).isInstanceOf(RateLimitedException.class);
        });
    }

    @Test
    void saysThatMoreThanTheCapacityIsImpossible() {
        withShop(shop -> assertThatThrownBy(() -> shop.rows("ann", 4))
                .isInstanceOf(RateLimitedException.class)
                .hasMessageContaining("and always will: its capacity is 3"));
    }

    @Test
    void refusesWhatIsNoNumberOfPermitsAndChargesNothing() {
        withShop(shop -> {
            for (Object wrong : new @Nullable Object[] {
                null, Double.NaN, Double.POSITIVE_INFINITY, 2.5, new BigDecimal("1e30"), "1", -1, Long.MIN_VALUE
            }) {
                assertThatIllegalArgumentException()
                        .as("%s", wrong)
                        .isThrownBy(() -> shop.rows("ann", wrong))
                        .withMessageStartingWith("The permits of @RateLimited on " + Shop.class.getName()
                                + ".rows(String, Object), \"#rows\", gives ")
                        .withMessageEndingWith(", but permits are a whole number, zero or more");
            }
            assertThat(shop.calls()).isZero();
            shop.rows("ann", 3);
        });
    }

    @Test
    void refusesWhatIsNoKeyAndChargesNothing() {
        withShop(shop -> {
            for (Object wrong : new @Nullable Object[] {null, "", new Object(), new int[0]}) {
                assertThatIllegalArgumentException()
                        .as("%s", wrong)
                        .isThrownBy(() -> shop.byAny(wrong))
                        .withMessageStartingWith(
                                "The key of @RateLimited on " + Shop.class.getName() + ".byAny(Object)")
                        .withMessageContaining("but a key is a text that is not empty");
            }
            assertThat(shop.calls()).isZero();
        });
    }

    @Test
    void takesNumbersEnumsAndIdsForKeys() {
        withShop(shop -> {
            for (Object key : new Object[] {7, 7L << 40, RetentionPolicy.CLASS, new UUID(1, 2), 'c', true}) {
                shop.byAny(key);
            }
            assertThat(shop.calls()).isEqualTo(6);
        });
    }

    @Test
    void neverQuotesWhatAClientHasSent() {
        withShop(shop -> assertThatIllegalArgumentException()
                .isThrownBy(() -> shop.rows("ann", "forged\nline"))
                .withMessageContaining("gives a java.lang.String")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("forged")));
    }

    @Test
    void namesTheExpressionThatFails() {
        withShop(shop -> assertThatIllegalArgumentException()
                .isThrownBy(() -> shop.byLength(null))
                .withMessage("The key of @RateLimited on " + Shop.class.getName()
                        + ".byLength(String), \"#text.length()\", fails"));
    }

    @Test
    void sharesOneBucketWithoutAKey() {
        withShop(shop -> {
            shop.all();
            shop.all();
            shop.all();
            assertThatThrownBy(shop::all).isInstanceOf(RateLimitedException.class);
        });
    }

    @Test
    void failsTheFutureOfACallThatIsDenied() {
        withShop(shop -> {
            for (int i = 0; i < 3; i++) {
                assertThat(shop.later("ann")).isCompletedWithValue("later, ann");
            }
            CompletableFuture<String> denied = shop.later("ann");
            assertThat(denied).isCompletedExceptionally();
            assertThatThrownBy(denied::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(RateLimitedException.class);
            assertThat(shop.calls()).isEqualTo(3);
            assertThat(shop.stage("ann").toCompletableFuture()).isCompletedExceptionally();
        });
    }

    @Test
    void doesNotBlockTheCallerUntilTheOwnerAnswers() {
        AwayStore store = new AwayStore();
        application
                .withBean(Store.class, () -> store)
                .withPropertyValues("weir.limits.three.failure-policy=grant")
                .withBean(Shop.class)
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);
                    CompletableFuture<String> asked = shop.later("ann");
                    CompletableFuture<String> subscribed = shop.mono("ann").toFuture();
                    assertThat(asked).isNotDone();
                    assertThat(subscribed).isNotDone();
                    assertThat(shop.calls()).isZero();

                    store.tell();

                    assertThat(asked).isCompletedWithValue("later, ann");
                    assertThat(subscribed).isCompletedWithValue("mono of ann");
                });
    }

    @Test
    void failsTheFutureOfWhatIsNoKey() {
        withShop(shop ->
                assertThatThrownBy(() -> shop.later("").join()).hasCauseInstanceOf(IllegalArgumentException.class));
    }

    @Test
    void passesOnWhatAMethodThatReturnsAFutureThrows() {
        withShop(shop ->
                assertThatThrownBy(() -> shop.broken().join()).hasCauseInstanceOf(UnsupportedOperationException.class));
    }

    @Test
    void chargesEachSubscription() {
        withShop(shop -> {
            Mono<String> mono = shop.mono("ann");
            assertThat(shop.calls()).isZero();
            assertThat(mono.block()).isEqualTo("mono of ann");
            assertThat(mono.block()).isEqualTo("mono of ann");
            assertThat(shop.flux("ann").collectList().block()).containsExactly(1, 2);
            assertThatThrownBy(mono::block).isInstanceOf(RateLimitedException.class);
            assertThatThrownBy(() -> shop.flux("ann").blockLast()).isInstanceOf(RateLimitedException.class);
            assertThat(shop.calls()).isEqualTo(3);
        });
    }

    @Test
    void limitsPublicMethodsOfAClass() {
        application.withBean(Counter.class).run(context -> {
            Counter counter = context.getBean(Counter.class);
            for (int i = 0; i < 3; i++) {
                counter.next();
            }
            assertThatThrownBy(counter::next).isInstanceOf(RateLimitedException.class);
            assertThat(counter.toString()).isEqualTo("not limited");
        });
    }

    @Test
    void limitsByAnAnnotationOfOnesOwn() {
        application.withBean(Composed.class).run(context -> {
            Composed composed = context.getBean(Composed.class);
            for (int i = 0; i < 3; i++) {
                composed.call("ann");
            }
            assertThatThrownBy(() -> composed.call("ann")).isInstanceOf(RateLimitedException.class);
            composed.call("bob");
        });
    }

    @Test
    void limitsWhatAnInterfaceSays() {
        application
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean(Said.class)
                .run(context -> {
                    Saying said = context.getBean(Saying.class);
                    for (int i = 0; i < 3; i++) {
                        said.say("ann");
                    }
                    assertThatThrownBy(() -> said.say("ann")).isInstanceOf(RateLimitedException.class);
                });
    }

    @Test
    void stopsTheStartIfTheLimitIsUnknown() {
        assertStops(Misspelt.class)
                .hasMessageContaining(
                        "@RateLimited on " + Misspelt.class.getName() + ".call() names the limit \"tree\"")
                .hasMessageContaining("there is no limit called \"tree\", only [three]");
    }

    @Test
    void stopsTheStartIfTheLimitOfALazyBeanIsUnknown() {
        application
                .withUserConfiguration(LazyMisspelt.class)
                .run(context -> assertThat(failure(context.getStartupFailure()))
                        .hasMessageContaining("names the limit \"tree\""));
    }

    @Test
    void stopsTheStartIfThereIsNoLimit() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(WeirAutoConfiguration.class, RateLimitedAutoConfiguration.class))
                .withBean(Misspelt.class)
                .run(context -> assertThat(failure(context.getStartupFailure()))
                        .hasMessageContaining("but there is no limit at all."));
    }

    @Test
    void stopsTheStartIfAnExpressionIsNone() {
        assertStops(BrokenKey.class)
                .hasMessageContaining("The key of @RateLimited on " + BrokenKey.class.getName()
                        + ".call(String), \"#client.(\", is no expression");
    }

    @Test
    void stopsTheStartIfAnExpressionSpeaksOfNoParameter() {
        assertStops(UnknownParameter.class)
                .hasMessageContaining(
                        "\"#user + #clinet\", speaks of #clinet, which is none of the parameters [user, client]");
    }

    @Test
    void stopsTheStartIfPermitsAreConstantAndNone() {
        assertStops(Negative.class).hasMessageContaining("gives -1, but permits are a whole number, zero or more");
    }

    @Test
    void stopsTheStartIfAMethodPassesNoProxy() {
        assertStops(Final.class).hasMessageContaining("would limit nothing: the method is private, static or final");
        assertStops(Private.class).hasMessageContaining("would limit nothing");
    }

    @Test
    void stopsTheStartIfABeanIsMadeTooEarly() {
        application
                .withUserConfiguration(TooEarly.class)
                .run(context -> assertThat(failure(context.getStartupFailure()))
                        .hasMessageContaining("limits nothing in the bean \"shop\"")
                        .extracting(Misconfiguration::action)
                        .asString()
                        .contains("BeanPostProcessor"));
    }

    @Test
    void warnsOfABeanThatSpringHasNotMade() {
        try (Logged logged = new Logged(Weir.class)) {
            application
                    .withInitializer(context -> context.getBeanFactory().registerSingleton("shop", new Shop()))
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(logged.messages())
                    .singleElement()
                    .asString()
                    .contains("limits nothing in the bean \"shop\": it was not made by Spring");
        }
    }

    /** As {@code @MockitoBean} puts it there: a definition, and a singleton that is not made of it. */
    @Test
    void startsWithAMockInThePlaceOfABean() {
        Shop mock = Mockito.mock(Shop.class);
        application
                .withBean("shop", Shop.class)
                .withInitializer(
                        context -> context.addBeanFactoryPostProcessor(beans -> beans.registerSingleton("shop", mock)))
                .run(context -> assertThat(context.getBean(Shop.class)).isSameAs(mock));
    }

    @Test
    void saysThatAWeirIsAMock() {
        application
                .withBean(Weir.class, () -> Mockito.mock(Weir.class))
                .withBean(Shop.class)
                .run(context -> assertThat(failure(context.getStartupFailure()))
                        .hasMessageContaining("the Weir gives no limiter for it: it is a mock"));
    }

    @Test
    void leavesAloneWhatAClassInheritsOrHasWithoutAnObject() {
        application.withBean(Inheriting.class).run(context -> {
            assertThat(context).hasNotFailed();
            Inheriting bean = context.getBean(Inheriting.class);
            for (int i = 0; i < 3; i++) {
                bean.own();
                assertThat(bean.inherited()).isEqualTo("not limited");
                assertThat(Inheriting.ofNobody()).isEqualTo("not limited");
            }
            assertThatThrownBy(bean::own).isInstanceOf(RateLimitedException.class);
            assertThat(bean.inherited()).isEqualTo("not limited");
        });
    }

    @Test
    void limitsWhatAClassInheritsIfAnInterfaceIsAnnotated() {
        application.withBean(Implementing.class).run(context -> {
            Implementing bean = context.getBean(Implementing.class);
            for (int i = 0; i < 3; i++) {
                bean.inherited();
            }
            assertThatThrownBy(bean::inherited).isInstanceOf(RateLimitedException.class);
        });
    }

    @Test
    void stopsTheStartIfAFinalMethodIsOfALimitedClass() {
        assertStops(FinalInside.class).hasMessageContaining("would limit nothing");
    }

    @Test
    void startsIfALazyBeanNamesAClassThatIsMissing() {
        GenericBeanDefinition lazy = new GenericBeanDefinition();
        lazy.setBeanClass(without(Gone.class).of(NeedsGone.class));
        lazy.setLazyInit(true);
        application
                .withInitializer(context ->
                        ((BeanDefinitionRegistry) context.getBeanFactory()).registerBeanDefinition("lazy", lazy))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void wrapsWhatAMethodInAnExpressionThrowsAndDoesNotQuoteIt() {
        withShop(shop -> {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> shop.byId("forged"))
                    .withMessage("The key of @RateLimited on " + Shop.class.getName()
                            + ".byId(String), \"T(java.util.UUID).fromString(#id)\", fails")
                    .withCauseInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> shop.laterBy(new Broken()).join())
                    .hasCauseInstanceOf(IllegalArgumentException.class)
                    .hasRootCauseInstanceOf(UnsupportedOperationException.class);
        });
    }

    @Test
    void stopsTheStartIfAnExpressionCallsAFunction() {
        assertStops(CallsAFunction.class).hasMessageContaining("calls the function #keyOf(#client)");
    }

    @Test
    void stopsTheStartIfAFutureIsOfATypeOfItsOwn() {
        assertStops(OwnFuture.class).hasMessageContaining("cannot answer with a " + Own.class.getName());
    }

    @Test
    void leavesOtherBeansAlone() {
        application
                .withBean(StringBuilder.class)
                .run(context -> assertThat(context.getBean(StringBuilder.class)).isNotInstanceOf(Advised.class));
    }

    @Test
    void limitsNothingIfDisabled() {
        application
                .withPropertyValues("weir.enabled=false")
                .withBean(Shop.class)
                .run(context -> {
                    for (int i = 0; i < 9; i++) {
                        context.getBean(Shop.class).order("ann");
                    }
                    assertThat(context).doesNotHaveBean(Weir.class);
                });
    }

    private void withShop(Consumer<Shop> test) {
        application.withBean(Shop.class).run(context -> test.accept(context.getBean(Shop.class)));
    }

    private org.assertj.core.api.AbstractThrowableAssert<?, ? extends Throwable> assertStops(Class<?> bean) {
        Throwable[] failure = new Throwable[1];
        application.withBean(bean).run(context -> failure[0] = failure(context.getStartupFailure()));
        return assertThat(failure[0]);
    }

    private static Misconfiguration failure(@Nullable Throwable startup) {
        for (Throwable each = startup; each != null; each = each.getCause()) {
            if (each instanceof Misconfiguration found) {
                return found;
            }
        }
        throw new AssertionError("started, or failed otherwise", startup);
    }

    /** What the tests call. */
    static class Shop {
        private int calls;

        /** Not a field: a proxy has fields of its own. */
        int calls() {
            return calls;
        }

        @RateLimited(limit = "three", key = "#client")
        String order(String client) {
            calls++;
            return "order of " + client;
        }

        @RateLimited(limit = "three", key = "#a0", permits = "#rows")
        void rows(String client, @Nullable Object rows) {
            calls++;
        }

        @RateLimited(limit = "three", key = "#any")
        void byAny(@Nullable Object any) {
            calls++;
        }

        @RateLimited(limit = "three", key = "#text.length()")
        void byLength(@Nullable String text) {
            calls++;
        }

        @RateLimited(limit = "three", key = "T(java.util.UUID).fromString(#id)")
        void byId(String id) {
            calls++;
        }

        @RateLimited(limit = "three", key = "#broken.key()")
        CompletableFuture<String> laterBy(Broken broken) {
            calls++;
            return CompletableFuture.completedFuture("later");
        }

        @RateLimited(limit = "three")
        void all() {
            calls++;
        }

        @RateLimited(limit = "three", key = "#client")
        CompletableFuture<String> later(String client) {
            calls++;
            return CompletableFuture.completedFuture("later, " + client);
        }

        @RateLimited(limit = "three", key = "#client")
        CompletionStage<String> stage(String client) {
            calls++;
            return CompletableFuture.completedFuture("stage of " + client);
        }

        @RateLimited(limit = "three")
        CompletableFuture<String> broken() {
            throw new UnsupportedOperationException();
        }

        @RateLimited(limit = "three", key = "#client")
        Mono<String> mono(String client) {
            calls++;
            return Mono.just("mono of " + client);
        }

        @RateLimited(limit = "three", key = "#client")
        Flux<Integer> flux(String client) {
            calls++;
            return Flux.just(1, 2);
        }
    }

    @RateLimited(limit = "three")
    static class Counter {
        private int count;

        public int next() {
            return ++count;
        }

        @Override
        public String toString() {
            return "not limited";
        }
    }

    static class Plain extends ApplicationObjectSupport {
        public String inherited() {
            return "not limited";
        }
    }

    @RateLimited(limit = "three")
    static class Inheriting extends Plain {
        public void own() {}

        public static String ofNobody() {
            return "not limited";
        }
    }

    @RateLimited(limit = "three")
    interface LimitedInterface {
        String inherited();
    }

    static class Base {
        public String inherited() {
            return "limited";
        }
    }

    static class Implementing extends Base implements LimitedInterface {}

    @RateLimited(limit = "three")
    static class FinalInside {
        public final void call() {}
    }

    static class Gone {}

    static class NeedsGone {
        @RateLimited(limit = "three")
        public void call(Gone gone) {}
    }

    /** A class loader that has the classes of this test again, but not one of them. */
    private static OfTest without(Class<?> gone) {
        return new OfTest(gone);
    }

    private static final class OfTest extends OverridingClassLoader {
        private final Class<?> gone;

        private OfTest(Class<?> gone) {
            super(RateLimitedTest.class.getClassLoader());
            this.gone = gone;
        }

        private Class<?> of(Class<?> type) {
            try {
                return loadClass(type.getName());
            } catch (ClassNotFoundException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        protected boolean isEligibleForOverriding(String name) {
            return name.startsWith(NeedsGone.class.getName());
        }

        @Override
        public Class<?> loadClass(String name) throws ClassNotFoundException {
            if (name.equals(gone.getName())) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name);
        }
    }

    /** What a method in an expression may do. */
    static class Broken {
        public String key() {
            throw new UnsupportedOperationException();
        }
    }

    static class CallsAFunction {
        @RateLimited(limit = "three", key = "#keyOf(#client)")
        void call(String client) {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @RateLimited(limit = "three")
    @interface ByClient {
        @AliasFor(annotation = RateLimited.class, attribute = "key")
        String value();
    }

    static class Composed {
        @ByClient("#client")
        void call(String client) {}
    }

    interface Saying {
        @RateLimited(limit = "three", key = "#whom")
        void say(String whom);
    }

    static class Said implements Saying {
        @Override
        public void say(String whom) {}
    }

    static class Misspelt {
        @RateLimited(limit = "tree")
        void call() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyMisspelt {
        @Bean
        @Lazy
        Misspelt misspelt() {
            return new Misspelt();
        }
    }

    static class BrokenKey {
        @RateLimited(limit = "three", key = "#client.(")
        void call(String client) {}
    }

    static class UnknownParameter {
        @RateLimited(limit = "three", key = "#user + #clinet")
        void call(String user, String client) {}
    }

    static class Negative {
        @RateLimited(limit = "three", permits = "-1")
        void call() {}
    }

    static class Final {
        @RateLimited(limit = "three")
        final void call() {}
    }

    static class Private {
        @RateLimited(limit = "three")
        @SuppressWarnings("UnusedMethod")
        private void call() {}
    }

    static class Own extends CompletableFuture<String> {}

    static class OwnFuture {
        @RateLimited(limit = "three")
        Own call() {
            return new Own();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TooEarly {
        @Bean
        static Shop shop() {
            return new Shop();
        }

        @Bean
        static First eager(BeanFactory beans) {
            beans.getBean(Shop.class);
            return new First();
        }
    }

    /** Made before ours. */
    static final class First implements BeanPostProcessor, PriorityOrdered {
        @Override
        public int getOrder() {
            return 0;
        }
    }
}
