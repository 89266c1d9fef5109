package io.weir.spring;

import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/**
 * A property as the application has written it.
 *
 * @param name its name
 * @param value what it says; null if it is not set
 * @param origin the file and line, if that is known; of one that is not set, of the first that is set beneath it or beside it
 */
record Setting(
        String name, @Nullable Object value, @Nullable Origin origin) {

    /** What {@code environment} says. Never fails: it is asked when something else went wrong. */
    static Setting of(Environment environment, ConfigurationPropertyName name) {
        return sources(environment)
                .flatMap(source -> Optional.ofNullable(source.getConfigurationProperty(name)).stream())
                .findFirst()
                .map(Setting::of)
                .orElseGet(() -> new Setting(
                        name.toString(),
                        null,
                        firstBeneath(environment, name)
                                .or(() -> name.getNumberOfElements() > 2
                                        ? firstBeneath(environment, name.getParent())
                                        : Optional.empty())
                                .map(ConfigurationProperty::getOrigin)
                                .orElse(null)));
    }

    static Setting of(Environment environment, String name) {
        return of(environment, ConfigurationPropertyName.of(name));
    }

    static Setting of(ConfigurationProperty property) {
        return new Setting(property.getName().toString(), property.getValue(), property.getOrigin());
    }

    /** The property, its value, its file and line: as the beginning of a sentence. */
    String says() {
        String where = origin == null ? "" : " (" + origin + ")";
        return value == null ? name + where : name + " is \"" + printable(value.toString()) + "\"" + where;
    }

    private static Optional<ConfigurationProperty> firstBeneath(
            Environment environment, ConfigurationPropertyName name) {
        return sources(environment)
                .filter(IterableConfigurationPropertySource.class::isInstance)
                .flatMap(source -> ((IterableConfigurationPropertySource) source)
                        .stream()
                                .filter(name::isAncestorOf)
                                .flatMap(each -> Optional.ofNullable(source.getConfigurationProperty(each)).stream()))
                .findFirst();
    }

    private static Stream<ConfigurationPropertySource> sources(Environment environment) {
        return environment instanceof ConfigurableEnvironment configurable
                ? StreamSupport.stream(
                        ConfigurationPropertySources.from(configurable.getPropertySources())
                                .spliterator(),
                        false)
                : Stream.empty();
    }

    private static String printable(String text) {
        String cut = text.length() > 100 ? text.substring(0, 100) + "..." : text;
        return cut.replaceAll("\\p{Cntrl}", "?");
    }
}
