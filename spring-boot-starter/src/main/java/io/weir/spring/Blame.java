package io.weir.spring;

import java.util.function.Supplier;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/** Turns what the rest of Weir refuses into a {@link Misconfiguration} that names the property it was written in. */
final class Blame {

    private final Environment environment;

    Blame(Environment environment) {
        this.environment = environment;
    }

    /**
     * What {@code making} gives.
     *
     * @throws Misconfiguration if it refuses
     */
    <T> T on(ConfigurationPropertyName property, Supplier<T> making) {
        return on(property, Advice.write(property), making);
    }

    /** The same, with other advice. */
    <T> T on(ConfigurationPropertyName property, String advice, Supplier<T> making) {
        try {
            return making.get();
        } catch (IllegalArgumentException e) {
            throw new Misconfiguration.OfSetting(Setting.of(environment, property), e.getMessage() + ".", advice, e);
        }
    }

    /** To be thrown where {@code property} is not set and has to be. */
    Misconfiguration missing(ConfigurationPropertyName property) {
        return wrong(property, "this is missing.", Advice.write(property));
    }

    /** To be thrown for any other {@code reason}, a sentence that follows a colon. */
    Misconfiguration wrong(ConfigurationPropertyName property, String reason, String advice) {
        return new Misconfiguration.OfSetting(Setting.of(environment, property), reason, advice, null);
    }
}
