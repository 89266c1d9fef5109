package io.weir.spring;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Locale;
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
 * Names that an application chooses itself, as keys in YAML: of limits, of quotas, and of the keys that have overrides. Spring Boot drops from such a
 * key all but letters, digits and dashes, unless it is in brackets, and takes two that differ in nothing else for one:
 * {@code per_client} would become a limit called {@code perclient}, and {@code perClient} beside {@code per-client} one limit twice.
 */
final class WrittenNames {

    /** A name in the name of a property, in either form. */
    private static final String ELEMENT = "(\\.[^.\\[]+|\\.?\\[[^\\]]*\\])";

    private static final String LIMIT = Pattern.quote(WeirProperties.PREFIX + ".limits") + ELEMENT;

    private static final Pattern OF_LIMIT = Pattern.compile(LIMIT + "(?:[.\\[].*)?");

    private static final Pattern OF_QUOTA =
            Pattern.compile(Pattern.quote(WeirProperties.PREFIX + ".quotas") + ELEMENT + "(?:[.\\[].*)?");

    private static final Pattern OF_KEY = Pattern.compile(LIMIT + "\\.overrides" + ELEMENT + "(?:[.\\[].*)?");

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9-]+");

    /** What is called so: one, and several. */
    private final String one;

    private final String several;

    /** As they are written without brackets, anywhere but in variables, by what Spring Boot tells them apart by. */
    private final Map<String, String> plain = new HashMap<>();

    /** As they are written in brackets, which Spring Boot leaves as they are. */
    private final Set<String> inBrackets = new HashSet<>();

    private WrittenNames(String one, String several) {
        this.one = one;
        this.several = several;
    }

    /**
     * Names of limits.
     *
     * @throws Misconfiguration naming the first that would not be what is written
     */
    static WrittenNames ofLimits(Environment environment) {
        return new WrittenNames("the limit's name", "the names of the limits").all(OF_LIMIT, environment);
    }

    /** Names of quotas; as {@link #ofLimits}. */
    static WrittenNames ofQuotas(Environment environment) {
        return new WrittenNames("the quota's name", "the names of the quotas").all(OF_QUOTA, environment);
    }

    private WrittenNames all(Pattern pattern, Environment environment) {
        eachProperty(environment, (source, property) -> {
            Matcher matcher = pattern.matcher(property);
            if (matcher.matches()) {
                add(source, property, matcher.group(1));
            }
        });
        return this;
    }

    /**
     * Keys that have overrides under a limit.
     *
     * @throws Misconfiguration naming the first that would not be what is written
     */
    static WrittenNames ofKeys(String limit, Environment environment) {
        WrittenNames names = new WrittenNames("the key", "the keys");
        eachProperty(environment, (source, property) -> {
            Matcher matcher = OF_KEY.matcher(property);
            if (matcher.matches() && isLimit(limit, matcher.group(1))) {
                names.add(source, property, matcher.group(2));
            }
        });
        return names;
    }

    /** Exactly: one limit's plain name is the same everywhere, or has been refused. */
    private static boolean isLimit(String limit, String element) {
        return isBracketed(element) ? inside(element).equals(limit) : element.equals("." + limit);
    }

    private static boolean isBracketed(String element) {
        return element.contains("[");
    }

    private static String inside(String bracketed) {
        return bracketed.substring(bracketed.indexOf('[') + 1, bracketed.length() - 1);
    }

    /** A name as an element of a property's name. */
    static String element(String name) {
        return PLAIN.matcher(name).matches() && Character.isLetterOrDigit(name.charAt(0))
                ? name.toLowerCase(Locale.ROOT)
                : "[" + name + "]";
    }

    /**
     * Of the names that Spring Boot has read, those that are written. A variable of the environment has no dashes and no case: as
     * a name, {@code WEIR_LIMITS_PERCLIENT_CAPACITY} is {@code perclient}, but where {@code per-client} is written it is one
     * more number of that, which Spring Boot gives it anyway.
     */
    Set<String> among(Set<String> read) {
        Set<String> names = new LinkedHashSet<>(read);
        names.removeIf(name -> !inBrackets.contains(name) && !name.equals(plain.getOrDefault(uniform(name), name)));
        return names;
    }

    private static String uniform(String name) {
        return name.replace("-", "").toLowerCase(Locale.ROOT);
    }

    @FunctionalInterface
    private interface Visitor {
        void visit(EnumerablePropertySource<?> source, String property);
    }

    private static void eachProperty(Environment environment, Visitor visitor) {
        if (!(environment instanceof ConfigurableEnvironment configurable)) {
            return;
        }
        for (PropertySource<?> source : configurable.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> enumerable
                    && !(source instanceof SystemEnvironmentPropertySource)) {
                Arrays.stream(enumerable.getPropertyNames()).forEach(property -> visitor.visit(enumerable, property));
            }
        }
    }

    private void add(EnumerablePropertySource<?> source, String property, String element) {
        Setting setting = new Setting(property, source.getProperty(property), OriginLookup.getOrigin(source, property));
        if (isBracketed(element)) {
            addInBrackets(setting, inside(element));
        } else {
            addPlain(setting, element.substring(1));
        }
    }

    private void addInBrackets(Setting setting, String name) {
        inBrackets.add(name);
        requireApart(setting, plain.getOrDefault(uniform(name), name), name);
    }

    private void addPlain(Setting setting, String name) {
        if (!PLAIN.matcher(name).matches()) {
            throw new Misconfiguration.OfSetting(
                    setting,
                    "Spring Boot would read " + one + " as \"" + name.replaceAll("[^A-Za-z0-9-]", "")
                            + "\", without the characters that are not letters, digits or dashes.",
                    "Write it in brackets and quotes, as in \"[" + name + "]\":",
                    null);
        }
        String before = plain.putIfAbsent(uniform(name), name);
        if (before != null && !before.equals(name)) {
            throw same(setting, before, name);
        }
        if (inBrackets.contains(uniform(name))) {
            requireApart(setting, name, uniform(name));
        }
    }

    /** To Spring Boot a plain name is the one in brackets that has its letters and digits, in lower case: both would have the same numbers. */
    private void requireApart(Setting setting, String plain, String bracketed) {
        if (bracketed.equals(uniform(plain)) && !bracketed.equals(plain)) {
            throw same(setting, plain, "[" + bracketed + "]");
        }
    }

    private Misconfiguration same(Setting setting, String one, String other) {
        return new Misconfiguration.OfSetting(
                setting,
                "Spring Boot takes " + several + " \"" + one + "\" and \"" + other + "\" for the same.",
                "Write it in one way everywhere; two that are meant to differ do so in more than dashes and case, or both stand in"
                        + " brackets and quotes.",
                null);
    }
}
