/**
 * Faults on real processes, and what the cluster grants through them.
 *
 * <pre>
 *   this JVM                                        a JVM for each member and client
 *
 *   Chaos                runs a Matrix
 *   Scene                a Fault, under Workloads
 *   Cluster                                         Member          the program
 *     Network            where each lives             Instances     starts Hazelcast in its {@link io.weir.chaos.Role}
 *     ChildJvm           starts with a role           Limiting      a Weir store, limits
 *     Skew               and another date             Writers       make a Load
 *     MemberProcess      asks, kills, pauses          Control       waits beside them
 *       Conversation     =====  stdin, stdout  =====
 *       Log              =====  stderr         =====
 *   History              outcomes of all processes
 *   Row                  the bound that they are held against, by the history checker
 *   Judged               what came of it: a line, and a picture in the Report
 * </pre>
 *
 * <p>A {@link io.weir.chaos.Scene} starts a {@link io.weir.chaos.Cluster}, begins a {@link io.weir.chaos.Load} of each workload
 * on all of its processes, makes a {@link io.weir.chaos.Fault} happen, and judges what all of them granted. The
 * conversation goes over pipes, so that it survives whatever is done to the {@link io.weir.chaos.Network}, of which there
 * are two: {@link io.weir.chaos.Rig#NAMESPACES} and {@link io.weir.chaos.Rig#LOOPBACK}.
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
