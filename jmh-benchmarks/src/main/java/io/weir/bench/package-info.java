/**
 * Weir beside what a user would pick instead, in one run.
 *
 * <p>{@link io.weir.bench.LocalBenchmark} asks inside one JVM, {@link io.weir.bench.ClusterBenchmark} asks for a key that
 * another member owns, {@link io.weir.bench.RedisBenchmark} asks a Redis instead, and in {@link
 * io.weir.bench.SaturatedBenchmark} all members ask. {@link io.weir.bench.PeerComparison} runs a short form of these, and
 * prints ratios. {@link io.weir.bench.OwnerCallBenchmark} compares the ways to the owner.
 *
 * <p>{@link io.weir.bench.RoundTripBudget} counts and times what a check costs on the network, and fails if it is too much.
 * {@link io.weir.bench.KeyMemory} measures what a key costs in memory, and fails if any of it outlives its key.
 *
 * <p>{@link io.weir.bench.QuotaComparison} has quotas spent beside hand-written SQL on one PostgreSQL.
 *
 * <p>Compare rows of one run only. Absolute times belong to the machine they were taken on.
 */
@NullMarked
package io.weir.bench;

import org.jspecify.annotations.NullMarked;
