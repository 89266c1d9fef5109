/**
 * Quotas: durable budgets that do not refill until their calendar period rolls over, kept in the application's database.
 *
 * <p>A {@link io.weir.quota.Quota} is the rule: a cap for each {@link io.weir.quota.Period}. A {@link io.weir.quota.QuotaLedger} asks,
 * in transactions of its own, with a deadline and a failure policy; {@link io.weir.quota.QuotaLedger#on} asks within a transaction of
 * the caller's, so that spend and effect commit together. Both have the effects of {@link io.weir.quota.QuotaOperations}, each under an
 * {@link io.weir.quota.IdempotencyKey}: a replay gets the first answer and moves nothing.
 *
 * <p>Inside there are three layers. {@code Step}, {@code Account} and {@code Decider} are pure: what a step does to what was
 * loaded, at one instant. {@code Dialect} locks, loads and stores, in at most two round trips. {@code Transactions} and {@code Desk} are about
 * what goes wrong: retries, deadlines, a database that is away.
 */
@NullMarked
package io.weir.quota;

import org.jspecify.annotations.NullMarked;
