package io.weir.spring;

import io.weir.Meters;
import io.weir.Weir;
import io.weir.console.Console;
import io.weir.console.ConsoleMeters;
import io.weir.console.ConsoleServlet;
import io.weir.console.KeyMask;
import io.weir.console.QuotaLine;
import io.weir.quota.Quota;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** A {@link Console} of the application's limits, if it wants one. */
@AutoConfiguration(after = {WeirAutoConfiguration.class, WeirQuotaAutoConfiguration.class})
@ConditionalOnProperty(prefix = WeirProperties.PREFIX, name = "enabled", matchIfMissing = true)
@ConditionalOnProperty(prefix = WeirProperties.PREFIX, name = "console.enabled")
final class WeirConsoleAutoConfiguration {

    private static final String CONSOLE = "io.weir.console.Console";

    private static final System.Logger LOG = System.getLogger(Weir.class.getName());

    /** Where a console is wanted, and is not there. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass(CONSOLE)
    static class WithoutConsole {

        WithoutConsole() {
            throw new Misconfiguration.OfConsole(
                    "weir.console.enabled is true, and the console is not on the class path.",
                    "Add io.weir:limiter-console. Or remove what is beneath weir.console.");
        }
    }

    /** An application's own console takes the place of ours. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = CONSOLE)
    static class WithConsole {

        /** It tells other nodes how this one stands, also if nobody asks here. */
        @Bean
        static LazyInitializationExcludeFilter weirConsoleIsNeverLazy() {
            return LazyInitializationExcludeFilter.forBeanTypes(Console.class);
        }

        @Bean
        @ConditionalOnMissingBean(ConsoleMeters.class)
        ConsoleCounts weirConsoleCounts() {
            return new ConsoleCounts();
        }

        @Bean
        @ConditionalOnBean(Weir.class)
        @ConditionalOnMissingBean
        Console weirConsole(
                Weir weir,
                ObjectProvider<ConsoleCounts> counts,
                ObjectProvider<ConsoleMeters> own,
                ObjectProvider<QuotaLines> quotas,
                WeirProperties properties,
                Environment environment) {
            Console.Builder builder = Console.of(weir, meters(counts, own)).node(node(environment));
            if (properties.console().maskKeys()) {
                builder.maskKeys(KeyMask.digest());
            }
            quotas.ifAvailable(builder::quotas);
            return builder.build();
        }

        private static ConsoleMeters meters(ObjectProvider<ConsoleCounts> counts, ObjectProvider<ConsoleMeters> own) {
            ConsoleCounts ours = counts.getIfAvailable();
            ConsoleMeters meters = ours == null ? own.getIfAvailable() : ours.meters;
            if (meters == null) {
                throw new Misconfiguration.OfConsole(
                        "weir.console.enabled is true, and the bean of type Weir is the application's own: nothing is counted for a"
                                + " console.",
                        "Add a bean of type ConsoleMeters and build the Weir with it: .meters(consoleMeters). Or leave the Weir to"
                                + " the starter.");
            }
            return meters;
        }

        /** The pod or the machine, as most systems tell it, or else the application. */
        private static String node(Environment environment) {
            String name = environment.getProperty("HOSTNAME", environment.getProperty("spring.application.name", ""));
            return name.isBlank() ? "this node" : name.substring(0, Math.min(64, name.length()));
        }
    }

    /** Counts for a console, beside the application's own meters. */
    static final class ConsoleCounts implements MetersAround {

        /** Null until a {@link Weir} is built with them. */
        private @Nullable ConsoleMeters meters;

        @Override
        public Meters around(@Nullable Meters others) {
            ConsoleMeters made = others == null ? ConsoleMeters.create() : ConsoleMeters.beside(others);
            meters = made;
            return made;
        }
    }

    /** The quotas that a console shows. */
    @FunctionalInterface
    interface QuotaLines extends Supplier<List<QuotaLine>> {}

    /** Where there are quotas in {@code application.yaml}. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = {CONSOLE, "io.weir.quota.Quota"})
    static class WithQuotas {

        @Bean
        @ConditionalOnBean(Quotas.class)
        QuotaLines weirConsoleQuotas(Quotas quotas) {
            InstantSource clock = InstantSource.system();
            return () -> quotas.all().stream().map(each -> line(each, clock)).toList();
        }

        private static QuotaLine line(Quota quota, InstantSource clock) {
            return new QuotaLine(
                    quota.name(),
                    quota.cap(),
                    quota.unit(),
                    quota.period().unit().name(),
                    quota.period().zone().getId(),
                    quota.period().windowAt(clock.instant()).end(),
                    quota.failurePolicy().name());
        }
    }

    /** The page. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = CONSOLE)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static class OnServlets {

        @Bean
        @ConditionalOnBean(Weir.class)
        ServletRegistrationBean<ConsoleServlet> weirConsoleServlet(
                Console console, WeirProperties properties, Environment environment) {
            String path = properties.console().path();
            if (!path.matches("(/[A-Za-z0-9._~-]+)+")) {
                throw new Blame(environment)
                        .wrong(
                                ConsoleProperties.PATH,
                                "a path begins with a slash and does not end with one.",
                                Advice.write(ConsoleProperties.PATH));
            }
            ServletRegistrationBean<ConsoleServlet> registration =
                    new ServletRegistrationBean<>(new ConsoleServlet(console), path + "/*");
            registration.setName("weir-console");
            return registration;
        }
    }

    /** No page, and said so. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class OnWebFlux {

        OnWebFlux() {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "weir.console.enabled is true, but under WebFlux there is no page: this node is shown by the consoles of others, in"
                            + " servlet applications. To serve it here, route requests to Console.answer.");
        }
    }
}
