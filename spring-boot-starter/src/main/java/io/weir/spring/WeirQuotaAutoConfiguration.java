package io.weir.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.weir.http.HttpQuotas;
import io.weir.quota.LedgerHealth;
import io.weir.quota.MicrometerQuotaMeters;
import io.weir.quota.QuotaLedger;
import io.weir.quota.QuotaMeters;
import io.weir.quota.Retention;
import java.time.InstantSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** A {@link QuotaLedger} over the application's {@code DataSource}, for the quotas in {@code application.yaml}. */
@AutoConfiguration(
        before = WeirHttpAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnProperty(prefix = WeirProperties.PREFIX, name = "enabled", matchIfMissing = true)
@Conditional(OnQuotas.class)
@EnableConfigurationProperties(WeirProperties.class)
final class WeirQuotaAutoConfiguration {

    private static final String LEDGER = "io.weir.quota.QuotaLedger";

    private static final ConfigurationPropertyName QUOTA =
            ConfigurationPropertyName.of(WeirProperties.PREFIX + ".quota");

    /** Where quotas are written, and nothing is there that keeps them. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass(LEDGER)
    static class WithoutLedger {

        WithoutLedger() {
            throw new Misconfiguration.OfQuotas(
                    "There are quotas beneath weir.quotas, and what keeps them is not on the class path.",
                    "Add io.weir:quota-jdbc. Or remove what is beneath weir.quotas.",
                    null);
        }
    }

    /** An application's own ledger takes the place of ours. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = LEDGER)
    static class WithLedger {

        /** So that a mistake stops the start, and not the first request. */
        @Bean
        static LazyInitializationExcludeFilter weirQuotasAreNeverLazy() {
            return LazyInitializationExcludeFilter.forBeanTypes(Quotas.class, Start.class, QuotaCleanUp.class);
        }

        @Bean
        Quotas weirQuotas(WeirProperties properties, Environment environment) {
            return ConfiguredQuotas.of(properties, environment);
        }

        @Bean
        @ConditionalOnMissingBean
        QuotaLedger weirQuotaLedger(
                WeirProperties properties,
                ConfigurableListableBeanFactory beans,
                ObjectProvider<QuotaMeters> meters,
                Environment environment) {
            LedgerProperties written = properties.quota();
            QuotaLedger.Builder builder =
                    QuotaLedger.over(DataSourceChoice.of(written.dataSource(), beans, environment));
            Blame blame = new Blame(environment);
            blame.on(QUOTA.append("deadline"), () -> builder.deadline(written.deadline()));
            blame.on(QUOTA.append("workers"), () -> builder.workers(written.workers()));
            meters.ifAvailable(builder::meters);
            return builder.build();
        }

        /** When all beans are there, and with them what creates tables. */
        @Bean
        Start weirQuotaStart(
                WeirProperties properties,
                ObjectProvider<QuotaLedger> ledger,
                ConfigurableListableBeanFactory beans,
                Environment environment) {
            return new Start(() -> {
                ledger.getObject();
                LedgerProperties written = properties.quota();
                boolean ours = beans.containsBeanDefinition("weirQuotaLedger"); // another one has its own database
                if (ours && written.schema() != LedgerProperties.Schema.NONE) {
                    new QuotaSchema(DataSourceChoice.of(written.dataSource(), beans, environment))
                            .require(written.schema());
                }
            });
        }

        @Bean
        @ConditionalOnMissingBean
        HttpQuotas weirHttpQuotas(
                QuotaLedger ledger, Quotas quotas, WeirProperties properties, Environment environment) {
            return new Blame(environment)
                    .on(
                            QUOTA.append("hold"),
                            () -> new LedgerQuotas(
                                    ledger, quotas, properties.quota().hold()));
        }

        @Bean
        QuotaCleanUp weirQuotaCleanUp(QuotaLedger ledger, WeirProperties properties, Environment environment) {
            LedgerProperties written = properties.quota();
            Blame blame = new Blame(environment);
            Retention retention = blame.on(
                    QUOTA.append(
                            written.keepKeys().compareTo(written.keepPeriods()) > 0 ? "keep-periods" : "keep-keys"),
                    () -> new Retention(
                            written.keepKeys(),
                            written.keepPeriods(),
                            Retention.standard().batch()));
            return blame.on(
                    QUOTA.append("clean-up-every"),
                    () -> new QuotaCleanUp(ledger, retention).schedule(written.cleanUpEvery()));
        }

        @Bean
        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
        QuotaThreads weirQuotaThreads(WeirProperties properties) {
            return new QuotaThreads(Math.max(1, properties.quota().workers()));
        }
    }

    /** Looks when all beans are there. */
    static final class Start implements SmartInitializingSingleton {
        private final Runnable look;

        Start(Runnable look) {
            this.look = look;
        }

        @Override
        public void afterSingletonsInstantiated() {
            look.run();
        }
    }

    /** Meters in the application's registry, if it has one. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = {LEDGER, "io.micrometer.core.instrument.MeterRegistry"})
    static class WithMicrometer {

        @Bean
        @ConditionalOnMissingBean(QuotaMeters.class)
        @ConditionalOnSingleCandidate(MeterRegistry.class)
        QuotaMeters weirQuotaMeters(MeterRegistry registry) {
            return MicrometerQuotaMeters.in(registry);
        }
    }

    /** The endpoint. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(
            value = {Endpoint.class, ConditionalOnAvailableEndpoint.class},
            name = LEDGER)
    static class WithEndpoints {

        @Bean
        @ConditionalOnAvailableEndpoint(WeirQuotasEndpoint.class)
        WeirQuotasEndpoint weirQuotasEndpoint(QuotaLedger ledger, Quotas quotas) {
            return new WeirQuotasEndpoint(ledger, quotas, InstantSource.system());
        }
    }

    /** Health, as Spring Boot 3 has it. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(value = org.springframework.boot.actuate.health.HealthIndicator.class, name = LEDGER)
    static class OnBoot3 {

        @Bean
        @org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator("weirquotas")
        org.springframework.boot.actuate.health.HealthIndicator weirQuotasHealthIndicator(QuotaLedger ledger) {
            return () -> {
                LedgerHealth health = ledger.health();
                return new org.springframework.boot.actuate.health.Health.Builder()
                        .status(QuotaHealthDetails.status(health))
                        .withDetails(QuotaHealthDetails.of(health))
                        .build();
            };
        }
    }

    /** Health, as Spring Boot 4 has it. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(value = org.springframework.boot.health.contributor.HealthIndicator.class, name = LEDGER)
    static class OnBoot4 {

        @Bean
        @org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator("weirquotas")
        org.springframework.boot.health.contributor.HealthIndicator weirQuotasHealthIndicator(QuotaLedger ledger) {
            return () -> {
                LedgerHealth health = ledger.health();
                return new org.springframework.boot.health.contributor.Health.Builder()
                        .status(QuotaHealthDetails.status(health))
                        .withDetails(QuotaHealthDetails.of(health))
                        .build();
            };
        }
    }
}
