package io.weir;

import java.time.Duration;

/**
 * A key that sits at its cap, or has done so until now: it is denied again and again. Immutable.
 *
 * @param limit the limit's name
 * @param key who is denied, as in {@link BusyKey#key()}
 * @param ended whether that is over: it was not denied any more for {@link KeyWatch#GAP}
 * @param lasting from the first of those denials to the last one so far
 * @param denied about how many permits were denied in that time
 */
public record KeyAtCap(String limit, String key, boolean ended, Duration lasting, long denied) {}
