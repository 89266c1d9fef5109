/**
 * What every store has to pass: the oracle, and the judge of recorded histories.
 *
 * <p>{@link io.weir.store.contract.ExactBucket} says what one key must be answered, in rational numbers.
 * {@link io.weir.store.contract.HistoryChecker} says whether what a whole cluster granted, as its callers saw it, can
 * have been within a bound. Neither shares any arithmetic with the code that it judges.
 */
@NullMarked
package io.weir.store.contract;

import org.jspecify.annotations.NullMarked;
