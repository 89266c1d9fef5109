package io.weir.algorithm;

import java.time.Duration;

/**
 * What becomes of a key that is denied again and again: how many strikes it has, and for how long it is denied when it has had more.
 * Immutable and thread-safe; the numbers alone, which count nothing.
 *
 * <pre>
 *   more than {@code strikes} in a span of {@code per}     cools down for {@code first}
 *   and again, within {@code forgivenAfter} of the end     for twice as long as the last time, {@code longest} at most
 * </pre>
 *
 * <p>Strikes are counted by a {@link SlidingLog}: one counts for {@code per}, to the nanosecond. So a key whose cool-down has ended
 * is punished by the very next strike while those before still count.
 *
 * @param strikes how many a key may have: 1 to {@link SlidingLog#MAX_PERMITS}
 * @param per for how long one counts, 1 ms to {@link #LONGEST}
 * @param first the shortest cool-down, 1 ms to {@link #LONGEST}; counted in milliseconds
 * @param longest the longest cool-down, {@code first} to {@link #LONGEST}; counted in milliseconds
 * @param forgivenAfter how long after the end of a cool-down the next is one of {@code first} again, zero to {@link #LONGEST}; counted
 *     in milliseconds
 */
public record Penalty(long strikes, Duration per, Duration first, Duration longest, Duration forgivenAfter) {

    /** The longest of every time here: a year. */
    public static final Duration LONGEST = Duration.ofDays(365);

    private static final Duration SHORTEST = Duration.ofMillis(1);

    private static final Penalty STANDARD =
            new Penalty(3, Duration.ofHours(1), Duration.ofSeconds(60), Duration.ofHours(1), Duration.ofDays(1));

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException naming the one that is out of range
     */
    public Penalty {
        if (strikes < 1 || strikes > SlidingLog.MAX_PERMITS) {
            throw new IllegalArgumentException(
                    "strikes of a penalty must be 1 to " + SlidingLog.MAX_PERMITS + " but are " + strikes);
        }
        require("per", per, SHORTEST);
        require("first", first, SHORTEST);
        require("longest", longest, first);
        require("forgivenAfter", forgivenAfter, Duration.ZERO);
    }

    private static void require(String what, Duration value, Duration least) {
        if (value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    what + " of a penalty must be " + least + " to " + LONGEST + " but is " + value);
        }
    }

    /** More than 3 strikes in an hour; 60 s, doubled up to an hour; forgiven after a day. */
    public static Penalty standard() {
        return STANDARD;
    }

    /**
     * The same for another number of strikes.
     *
     * @throws IllegalArgumentException if one of the two is out of range
     */
    public Penalty withStrikes(long most, Duration in) {
        return new Penalty(most, in, first, longest, forgivenAfter);
    }

    /**
     * The same with other cool-downs.
     *
     * @throws IllegalArgumentException if one of the two is out of range
     */
    public Penalty withCooldown(Duration shortest, Duration most) {
        return new Penalty(strikes, per, shortest, most, forgivenAfter);
    }

    /**
     * The same, forgiven after another time.
     *
     * @throws IllegalArgumentException if it is out of range
     */
    public Penalty withForgivenAfter(Duration value) {
        return new Penalty(strikes, per, first, longest, value);
    }

    /**
     * How long the cool-down of a level is: {@code first * 2^(level - 1)}, and {@code longest} at most.
     *
     * @param level which one in a row it is, 1 or more
     * @throws IllegalArgumentException if {@code level} is less than 1
     */
    public Duration cooldown(int level) {
        if (level < 1) {
            throw new IllegalArgumentException("level of a cool-down must be at least 1 but is " + level);
        }
        long firstMillis = first.toMillis();
        boolean fits = level - 1 < Long.numberOfLeadingZeros(firstMillis) - 1;
        long millis = fits ? firstMillis << (level - 1) : Long.MAX_VALUE;
        return Duration.ofMillis(Math.min(longest.toMillis(), millis));
    }
}
