package io.weir.spring;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many permits return in which time, as it is written in YAML: {@code 50/s}, {@code 1000/day}, {@code 5/10s}.
 *
 * @param permits as many
 * @param period in this time
 */
record Refill(long permits, Duration period) {

    private static final Pattern TEXT = Pattern.compile("\\s*(\\d{1,19})\\s*/\\s*(\\d{0,18})\\s*([a-z]+)\\s*");

    private static final Map<String, ChronoUnit> UNITS = Map.ofEntries(
            Map.entry("ns", ChronoUnit.NANOS),
            Map.entry("us", ChronoUnit.MICROS),
            Map.entry("ms", ChronoUnit.MILLIS),
            Map.entry("s", ChronoUnit.SECONDS),
            Map.entry("second", ChronoUnit.SECONDS),
            Map.entry("seconds", ChronoUnit.SECONDS),
            Map.entry("m", ChronoUnit.MINUTES),
            Map.entry("min", ChronoUnit.MINUTES),
            Map.entry("minute", ChronoUnit.MINUTES),
            Map.entry("minutes", ChronoUnit.MINUTES),
            Map.entry("h", ChronoUnit.HOURS),
            Map.entry("hour", ChronoUnit.HOURS),
            Map.entry("hours", ChronoUnit.HOURS),
            Map.entry("d", ChronoUnit.DAYS),
            Map.entry("day", ChronoUnit.DAYS),
            Map.entry("days", ChronoUnit.DAYS));

    /**
     * Reads a refill. Spring finds this method by its name and signature, if it is public.
     *
     * @throws Malformed saying what is wrong with {@code text}
     */
    public static Refill of(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new Malformed("a refill is whole permits, a slash, and a unit or a time");
        }
        String unitName = matcher.group(3);
        ChronoUnit unit = UNITS.get(unitName);
        if (unit == null) {
            throw new Malformed(
                    "\"" + unitName + "\" is no unit: it is one of ns, us, ms, s, m, h, d, second, minute, hour, day");
        }
        String count = matcher.group(2);
        try {
            return new Refill(
                    Long.parseLong(matcher.group(1)), Duration.of(count.isEmpty() ? 1 : Long.parseLong(count), unit));
        } catch (NumberFormatException | ArithmeticException e) {
            throw new Malformed("the number is too large");
        }
    }

    /** A text that is no refill, and why. */
    static final class Malformed extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        private Malformed(String why) {
            super(why);
        }
    }
}
