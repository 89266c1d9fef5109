package io.weir.spring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Applications that are started as Spring Boot starts them, from an {@code application.yaml} in a folder of their own. */
final class YamlApplication {

    private static final ThreadLocal<@Nullable FailureAnalysis> REPORTED = new ThreadLocal<>();

    /** What Spring Boot would print. */
    public static final class Reporter implements FailureAnalysisReporter {
        @Override
        public void report(FailureAnalysis analysis) {
            REPORTED.set(analysis);
        }
    }

    /** Nothing but what is ours. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        WeirAutoConfiguration.class,
        WeirHazelcastAutoConfiguration.class,
        WeirQuotaAutoConfiguration.class,
        RateLimitedAutoConfiguration.class
    })
    static class Bare {}

    private final Path folder;

    YamlApplication(Path folder) {
        this.folder = folder;
    }

    ConfigurableApplicationContext start(String yaml, Class<?>... beans) {
        try {
            Files.writeString(folder.resolve("application.yaml"), yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new SpringApplicationBuilder(Bare.class)
                .sources(beans)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.config.location=" + folder.toUri(),
                        "spring.main.banner-mode=off",
                        "logging.level.root=off")
                .run();
    }

    /**
     * What stops an application's start: what is wrong, a line {@code Action:}, and what to do about it.
     *
     * @throws AssertionError if nothing does, or if it is not explained
     */
    String failureOf(String yaml, Class<?>... beans) {
        REPORTED.remove();
        try (ConfigurableApplicationContext unexpected = start(yaml, beans)) {
            throw new AssertionError("started: " + unexpected);
        } catch (RuntimeException e) {
            FailureAnalysis analysis = REPORTED.get();
            if (analysis == null) {
                throw new AssertionError("not explained", e);
            }
            return analysis.getDescription() + "\nAction:\n" + analysis.getAction();
        }
    }
}
