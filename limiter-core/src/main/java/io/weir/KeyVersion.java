package io.weir;

import io.weir.algorithm.Rule;

/**
 * The version of the rule of a key that has, or once had, numbers of its own.
 *
 * <p>Of two rules a bucket goes by the one with the higher version, and nodes hear of a new limit and of a new override at different
 * moments. So both versions are in one number, the override's first:
 *
 * <pre>
 *   bits 62 to 44   how often the key's own numbers were set or cleared
 *   bits 43 to 0    the version of its limit
 * </pre>
 *
 * What the limit's definition gives a key was set zero times: its version is that of the limit, of which it is a part.
 *
 * <p>Whoever knows more of either has the higher number, and a node that has not heard of an override is decided by it all the same. Two nodes
 * that each know one thing that the other does not go by the override, and together by both within a second.
 */
final class KeyVersion {

    private static final int BITS_OF_A_LIMIT = 44;

    /** The highest version of a limit whose keys can have numbers of their own: milliseconds since 1970 fit until the year 2527. */
    static final long MOST_OF_A_LIMIT = (1L << BITS_OF_A_LIMIT) - 1;

    /** How often the numbers of one key can be set or cleared. */
    static final long MOST_OF_A_KEY = (1L << (Long.SIZE - 1 - BITS_OF_A_LIMIT)) - 1;

    private KeyVersion() {}

    /**
     * The version of a key's rule.
     *
     * @param limit the limit's name
     * @param ofKey of its directive; zero if there is none
     * @param ofLimit of its limit
     * @throws IllegalArgumentException if one of them is too high
     */
    static long of(String limit, long ofKey, long ofLimit) {
        if (ofKey > MOST_OF_A_KEY) {
            throw new IllegalArgumentException("the numbers of a key under limit \"" + limit
                    + "\" can be set or cleared " + MOST_OF_A_KEY + " times but this is time " + ofKey);
        }
        if (ofLimit > MOST_OF_A_LIMIT) {
            throw new IllegalArgumentException("limit \"" + limit + "\" has version " + ofLimit
                    + ", but single keys can have numbers of their own only under versions up to " + MOST_OF_A_LIMIT
                    + ": number its versions by dates, as 20261201, or by milliseconds since 1970, and rename it if it is in use, since"
                    + " buckets go by the highest version that they have seen");
        }
        return ofKey << BITS_OF_A_LIMIT | ofLimit;
    }

    /** How often a key's own numbers had been set or cleared when it was counted by a rule; zero if that is of its limit's definition. */
    static long timesOf(Rule rule) {
        return rule.version() >>> BITS_OF_A_LIMIT;
    }
}
