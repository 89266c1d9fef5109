/**
 * Buckets in a Hazelcast map, changed atomically on the member that owns their key.
 *
 * <p>{@link io.weir.hazelcast.HazelcastStore} is all that an application sees. Behind it, on the way of one request:
 *
 * <pre>
 *   HazelcastBuckets   one limit: a {@link io.weir.hazelcast.KeyLine line} for each key that is being asked for
 *     KeyLine          one call in flight, later requests queue up and leave together
 *       OwnerCalls     the way to the owner, as a member or as a client
 *   - - - - - - - - -  network  - - - - - - - - -
 *         BucketCall   the entry processor: reads the {@link io.weir.hazelcast.Owner owner's} clock, refuses what is
 *                      late or repeated, runs the transition, writes {@link io.weir.hazelcast.StoredBucket}
 *       BucketBackup   puts the computed bucket on the backup
 *       CallAnswer     verdicts, bucket, and the owner's time
 * </pre>
 *
 * <p>What keeps a call from being charged twice or late, cited by number in the code:
 *
 * <ul>
 *   <li><b>L1</b> an answer counts only if its call is the one in flight; giving a call up and taking the next number is one
 *       step, and how many calls Hazelcast is left with is bounded for each owner;
 *   <li><b>L4</b> the record of a call is dropped only by a write at or past the last moment at which a retry of it can run;
 *   <li><b>L7</b> permits that were granted to a waiter who has left are lost, and neither reused nor given back;
 *   <li><b>L9</b> a node's identity is fresh for each store instance, and its numbers come from one counter, so that nothing
 *       is used twice after a restart or a dropped record;
 *   <li><b>L10</b> an entry lives until it is full and no record in it is needed, and somewhat longer;
 *   <li><b>L14</b> every answer, refusals included, carries the owner's time;
 *   <li><b>L15</b> each request of a call has its own deadline.
 * </ul>
 */
@NullMarked
package io.weir.hazelcast;

import org.jspecify.annotations.NullMarked;
