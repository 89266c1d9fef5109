/**
 * Pure transitions: {@code (rule, state, permits, now) -> (verdict, state)}.
 *
 * <p>This is the only place where a token is counted. Nothing here reads a clock, starts a thread, keeps a store, logs
 * or does I/O; a store decides <em>where</em> a transition runs atomically, never <em>what</em> it decides. Every value
 * is immutable.
 *
 * <p>The invariants, cited by number in the code and its tests:
 *
 * <ul>
 *   <li><b>I1</b> never grants more than {@code capacity + refill * t} in any span {@code t}; of algorithms other than the token
 *       bucket, more than the bound that their class states;
 *   <li><b>I2</b> time never moves back: an older instant adds no tokens and is not stored, and a step back beyond
 *       {@link io.weir.algorithm.Algorithm#STEP_BACK_TOLERANCE_NANOS a tolerance} rebases the state to now and adds
 *       nothing;
 *   <li><b>I3</b> retry-after is sharp: one nanosecond earlier is denied, at that instant it is granted;
 *   <li><b>I4</b> a denial changes no balance and asks for no write (except to rebase after a step back, or to take over
 *       a changed rule);
 *   <li><b>I5</b> more permits than capacity is an answer of its own, {@link io.weir.algorithm.Verdict#NEVER};
 *   <li><b>I6</b> zero permits is a free peek, a negative number an argument error;
 *   <li><b>I7</b> a changed rule carries the balance over in proportion, rounded against the caller, or in another {@linkplain
 *       io.weir.algorithm.CarryOver mode} if it says so; from one kind of algorithm to another too, where what cannot be told apart
 *       counts as used now. A bandwidth whose numbers stay keeps its balance, and one of a
 *       new name is as full as the emptiest was.
 * </ul>
 */
@NullMarked
package io.weir.algorithm;

import org.jspecify.annotations.NullMarked;
