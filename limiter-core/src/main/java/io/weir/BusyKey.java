package io.weir;

import java.util.OptionalDouble;

/**
 * A key that asks for much, as this node saw it over the last 30 to 60 seconds. Immutable.
 *
 * <p>The numbers are estimates: see {@link KeyWatch}.
 *
 * @param key who asks; one of more than 256 characters is told as the start of it and its SHA-256. It is the client's text:
 *     escape it before it is shown or logged
 * @param asked how many permits it asked for, whoever answered
 * @param denied how many of those were denied, whoever denied them
 * @param headroom how much of its bucket was left when it last asked, from 0 to 1; empty if that is not known, since a share
 *     or a policy answered
 */
public record BusyKey(String key, long asked, long denied, OptionalDouble headroom) {}
