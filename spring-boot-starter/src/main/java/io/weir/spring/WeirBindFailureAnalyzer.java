package io.weir.spring;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Says what to write instead of a property of ours that Spring Boot could not read. It comes before Boot's own analyzers, which
 * know what went wrong, but not what would be right, and leaves to them what is not beneath {@code weir}.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class WeirBindFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of(WeirProperties.PREFIX);

    private final Environment environment;

    WeirBindFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
        if (!PREFIX.equals(cause.getName()) && !PREFIX.isAncestorOf(cause.getName())) {
            return null;
        }
        UnboundConfigurationPropertiesException unbound =
                findCause(cause, UnboundConfigurationPropertiesException.class);
        return unbound == null ? unreadable(cause) : unknown(unbound);
    }

    private static FailureAnalysis unknown(UnboundConfigurationPropertiesException cause) {
        return new FailureAnalysis(
                cause.getUnboundProperties().stream()
                        .map(each -> Setting.of(each).says() + ": there is no such property.")
                        .collect(Collectors.joining(System.lineSeparator())),
                cause.getUnboundProperties().stream()
                        .map(ConfigurationProperty::getName)
                        .map(Advice::known)
                        .distinct()
                        .collect(Collectors.joining(System.lineSeparator())),
                cause);
    }

    private FailureAnalysis unreadable(BindException cause) {
        BindException innermost = innermost(cause);
        ConfigurationProperty property = innermost.getProperty();
        ConfigurationPropertyName name = property == null ? innermost.getName() : property.getName();
        Setting setting = property == null ? Setting.of(environment, name) : Setting.of(property);
        Refill.Malformed why = findCause(cause, Refill.Malformed.class);
        return new FailureAnalysis(
                setting.says() + ": this cannot be read" + (why == null ? "." : ", " + why.getMessage() + "."),
                Advice.write(name),
                cause);
    }

    private static BindException innermost(BindException outer) {
        BindException innermost = outer;
        for (Throwable each = outer.getCause(); each != null; each = each.getCause()) {
            if (each instanceof BindException inner) {
                innermost = inner;
            }
        }
        return innermost;
    }
}
