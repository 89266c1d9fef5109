package io.weir.spring;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Names of limits as keys in YAML. Spring Boot drops from such a key all but letters, digits and dashes, unless it is in
 * brackets, and takes two that differ in nothing else for one: {@code per_client} would become a limit called
 * {@code perclient}, and {@code perClient} beside {@code per-client} one limit twice.
 */
final class LimitNames {

    private static final Pattern KEY =
            Pattern.compile(Pattern.quote(WeirProperties.PREFIX + ".limits.") + "([^.\\[]+)(?:[.\\[].*)?");

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9-]+");

    private LimitNames() {}

    /** A limit's name as an element of a property's name. */
    static String element(String limit) {
        String uniform = limit.toLowerCase(java.util.Locale.ROOT);
        return PLAIN.matcher(limit).matches() && Character.isLetterOrDigit(limit.charAt(0))
                ? uniform
                : "[" + limit + "]";
    }

    /**
     * Of the names that Spring Boot has read, those that are limits. A variable of the environment has no dashes and no case: as
     * a name, {@code WEIR_LIMITS_PERCLIENT_CAPACITY} is {@code perclient}, but where {@code per-client} is written it is one
     * more number of that, which Spring Boot gives it anyway.
     *
     * @throws Misconfiguration naming the first that would not be what is written
     */
    static Set<String> of(Set<String> read, Environment environment) {
        Map<String, String> written = written(environment);
        Set<String> limits = new LinkedHashSet<>(read);
        limits.removeIf(name -> !name.equals(written.getOrDefault(uniform(name), name)));
        return limits;
    }

    /** Names as they are written anywhere but in variables, by what Spring Boot tells them apart by. */
    private static Map<String, String> written(Environment environment) {
        Map<String, String> seen = new HashMap<>();
        if (!(environment instanceof ConfigurableEnvironment configurable)) {
            return seen;
        }
        for (PropertySource<?> source : configurable.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> enumerable
                    && !(source instanceof SystemEnvironmentPropertySource)) {
                Arrays.stream(enumerable.getPropertyNames()).forEach(key -> requireUnmangled(enumerable, key, seen));
            }
        }
        return seen;
    }

    private static String uniform(String name) {
        return name.replace("-", "").toLowerCase(java.util.Locale.ROOT);
    }

    private static void requireUnmangled(EnumerablePropertySource<?> source, String key, Map<String, String> seen) {
        Matcher matcher = KEY.matcher(key);
        if (!matcher.matches()) {
            return;
        }
        String name = matcher.group(1);
        Setting setting = new Setting(key, source.getProperty(key), OriginLookup.getOrigin(source, key));
        if (!PLAIN.matcher(name).matches()) {
            throw new Misconfiguration.OfSetting(
                    setting,
                    "Spring Boot would read the limit's name as \"" + name.replaceAll("[^A-Za-z0-9-]", "")
                            + "\", without the characters that are not letters, digits or dashes.",
                    "Write the name in brackets and quotes, as in \"[" + name + "]\":",
                    null);
        }
        String before = seen.putIfAbsent(uniform(name), name);
        if (before != null && !before.equals(name)) {
            throw new Misconfiguration.OfSetting(
                    setting,
                    "Spring Boot takes the names of the limits \"" + before + "\" and \"" + name + "\" for the same.",
                    "Write it in one way everywhere; names of two limits differ in more than dashes and case.",
                    null);
        }
    }
}
