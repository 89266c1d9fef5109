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
 */
@NullMarked
package io.weir.hazelcast;

import org.jspecify.annotations.NullMarked;
