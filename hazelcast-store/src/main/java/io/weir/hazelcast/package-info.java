/**
 * Buckets in a Hazelcast map, changed atomically on the member that owns their key.
 *
 * <p>{@link io.weir.hazelcast.HazelcastStore} is all that an application sees. Behind it, on the way of one request:
 *
 * <pre>
 *   HazelcastBuckets   one limit: a {@link io.weir.hazelcast.KeyLine line} for each key that is being asked for
 *     KeyLine          one call in flight, later requests queue up and leave together
 *       Memory         what the node answers by itself: from a {@link io.weir.hazelcast.HeldLease lease}, or by a
 *                      {@link io.weir.hazelcast.Denial} that still holds
 *       OwnerCalls     the way to the owner, as a member or as a client
 *   - - - - - - - - -  network  - - - - - - - - -
 *         BucketCall   the entry processor: reads the {@link io.weir.hazelcast.Owner owner's} clock, refuses what is
 *                      late or repeated, writes {@link io.weir.hazelcast.StoredBucket}
 *         Settlement   what is decided, leases included: pure
 *       BucketBackup   puts the computed bucket on the backup
 *       CallAnswer     verdicts, bucket, lease, and the owner's time
 * </pre>
 *
 * <p>What keeps a call from being charged twice or late, and the cluster from granting more than the limit, cited by
 * number in the code; {@code docs/leases.md} has the proof:
 *
 * <ul>
 *   <li><b>L1</b> an answer counts only if its call is the one in flight; giving a call up, taking the next number and reading
 *       what is held are one step, and how many calls Hazelcast is left with is bounded for each owner;
 *   <li><b>L2</b> the owner refills with what was lent so far, ends leases, settles, takes returns, grants, lends: in this
 *       order;
 *   <li><b>L3</b> refill stops at the capacity less what is lent, worked out from one expiry to the next;
 *   <li><b>L4</b> the record of a call is dropped only by a write at or past the last moment at which a retry of it can run,
 *       and at or past the end of its lease;
 *   <li><b>L5</b> a lease ends so long after the sending of the call that extended it; the node subtracts what was not
 *       accepted of what it reported before it adds what was lent;
 *   <li><b>L6</b> what an expired lease held is gone for good;
 *   <li><b>L7</b> permits that were granted to a waiter are never held; where it has left they are lost, and neither reused nor
 *       given back;
 *   <li><b>L9</b> a node's identity is fresh for each store instance, and its numbers come from one counter, so that nothing
 *       is used twice after a restart or a dropped record;
 *   <li><b>L10</b> an entry lives until no record in it is needed and it is full again, leases having ended, and somewhat
 *       longer;
 *   <li><b>L11</b> what is given back leaves the node before it is sent and never comes back; the owner adds no more than it
 *       has lent, and no more than has room;
 *   <li><b>L12</b> a lowered limit keeps room for what is out, and lends nothing while more is out than it holds;
 *   <li><b>L13</b> a denial that settles is written, one that does not is not, and extends nothing;
 *   <li><b>L14</b> deadlines are judged by the owner's clock, and every answer, refusals included, carries its time;
 *   <li><b>L15</b> each request of a call has its own deadline, and so has what is said of the lease;
 *   <li><b>L16</b> a node looks at its lease before its denials; a request that only leases stand against has them asked back;
 *   <li><b>L18</b> a lease takes from every bandwidth, and the refill of each stops below its own capacity.
 * </ul>
 */
@NullMarked
package io.weir.hazelcast;

import org.jspecify.annotations.NullMarked;
