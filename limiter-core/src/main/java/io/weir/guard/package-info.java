/**
 * Guards of one node: not how often something is done, but how much of it at one time.
 *
 * <p>{@link io.weir.guard.LoadShedder} turns work away while this node has too much of it, whoever asks;
 * {@link io.weir.guard.NodeConcurrencyGuard} lets only so many calls of one kind run at once. Both count in the memory of this JVM
 * alone, need no {@link io.weir.Weir} and no store, never wait, and hand out {@link io.weir.guard.Slot slots} that must be closed.
 * They bound what a node takes upon itself; what all nodes grant together is bounded by a {@link io.weir.Limit}.
 */
@NullMarked
package io.weir.guard;

import org.jspecify.annotations.NullMarked;
