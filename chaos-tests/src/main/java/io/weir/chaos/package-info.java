/**
 * Faults on real processes, and what the cluster grants through them.
 *
 * <pre>
 *   test JVM                                        a JVM for each member and client
 *
 *   Cluster                                         Member          the program
 *     ChildJvm         starts with a role             Instances     starts Hazelcast in its {@link io.weir.chaos.Role}
 *     Skew             and another date               Limiting      a Weir store, limits
 *     MemberProcess    asks, kills, pauses            Writers       make a Load
 *       Conversation   =====  stdin, stdout  =====
 *       Log            =====  stderr         =====
 *   History            grants of all processes
 *   Cell               held against a bound by the history checker
 * </pre>
 *
 * <p>A test starts a {@link io.weir.chaos.Cluster}, begins a {@link io.weir.chaos.Load} on some of its processes, hurts one
 * of them, and has a {@link io.weir.chaos.Cell} judge what all of them granted. The conversation goes over pipes, so that
 * it survives whatever is done to the network; each member has a loopback address of its own ({@link
 * io.weir.chaos.Place}), so that something can be put between two of them.
 *
 * <p>Assumed, and checked of each process: {@link java.lang.System#nanoTime} is one clock for all processes of this
 * machine. It is on Linux, also under {@code faketime} as {@link io.weir.chaos.Skew} uses it.
 *
 * <p>What a process granted is on its pipe before the next call is made, so that a kill loses at most the grants that
 * nobody was told of. A history can therefore only show too little of a process that is killed, never too much.
 */
@NullMarked
package io.weir.chaos;

import org.jspecify.annotations.NullMarked;
