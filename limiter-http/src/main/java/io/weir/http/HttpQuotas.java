package io.weir.http;

/**
 * What keeps the quotas that {@linkplain Route#spending routes spend}: a ledger in a database, such as that of {@code quota-jdbc}, or the application's own. Thread-safe.
 *
 * <p>It may wait, for as long as a request may: where that must not be, {@link HttpLimits.Builder#quotas(HttpQuotas, java.util.concurrent.Executor)} has
 * threads for it. What it throws, the request fails with.
 */
@FunctionalInterface
public interface HttpQuotas {

    /** Takes all that a request asks for, or nothing. */
    QuotaAnswer take(QuotaRequest request);
}
