package io.weir.hazelcast;

/**
 * What an owner made of a {@link LeaseReport}.
 *
 * @param accepted how many of the kept permits are still the node's; the others it has lost (L5)
 * @param lent how many more it holds now
 * @param extended whether all of them live as long as the report said (L5)
 */
record LeaseAnswer(long accepted, long lent, boolean extended) {}
