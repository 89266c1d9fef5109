package io.weir.quota;

/**
 * Something that does not follow from the history.
 *
 * @param what the row, with its keys as they are stored: {@code period}, {@code reservation} or {@code credit}
 * @param stored what the row says
 * @param recomputed what the history says
 */
public record Difference(String what, String stored, String recomputed) {}
