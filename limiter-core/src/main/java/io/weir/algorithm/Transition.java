package io.weir.algorithm;

/**
 * The result of one step: the verdict, and the state as of the step's instant.
 *
 * @param verdict what was decided
 * @param state the state after the decision, refilled to the instant at which it was made
 * @param changed whether {@code state} must replace the stored one. Where it is false, {@code state} only describes the
 *     balance: storing it would change nothing, so that a denial needs no write and no replication (I4)
 */
public record Transition(Verdict verdict, State state, boolean changed) {}
