package io.weir.spring;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

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
     * Refuses names that would not be what is written.
     *
     * @throws Misconfiguration naming the first such name
     */
    static void requireUnmangled(Environment environment) {
        if (!(environment instanceof ConfigurableEnvironment configurable)) {
            return;
        }
        for (PropertySource<?> source : configurable.getPropertySources()) {
            // Variables of the environment are not written as names are, and Spring Boot reads them differently.
            boolean variables = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME.equals(source.getName());
            if (source instanceof EnumerablePropertySource<?> enumerable && !variables) {
                Map<String, String> seen = new HashMap<>();
                Arrays.stream(enumerable.getPropertyNames()).forEach(key -> requireUnmangled(enumerable, key, seen));
            }
        }
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
        String uniform = name.replace("-", "").toLowerCase(java.util.Locale.ROOT);
        String before = seen.putIfAbsent(uniform, name);
        if (before != null && !before.equals(name)) {
            throw new Misconfiguration.OfSetting(
                    setting,
                    "Spring Boot takes the names of the limits \"" + before + "\" and \"" + name + "\" for the same.",
                    "Choose names that differ in more than dashes and case.",
                    null);
        }
    }
}
