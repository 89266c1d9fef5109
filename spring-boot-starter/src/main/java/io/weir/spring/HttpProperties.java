package io.weir.spring;

import io.weir.http.ClientAddress;
import io.weir.http.Dialect;
import io.weir.http.IdempotencyKeys;
import io.weir.http.MissingKey;
import io.weir.http.Position;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Which HTTP requests are limited, and how denials are answered.
 *
 * @param probes Paths that are never limited, each just as it is written: what a platform asks to see whether a node lives.
 * @param routes Which requests a limit is for: the first that matches counts.
 * @param clientAddress How the address of a client is found out, for routes whose key is client-address.
 * @param dialects In which header fields clients are told how much is left of a limit.
 * @param impossibleStatus The status for a request that costs more than the limit's capacity: 429, 400 or 413.
 * @param exhaustedStatus The status for a request whose quota is exhausted: 403, 402 or 429.
 * @param resetJitter By how much later, at random, than their quota resets clients are told to come back.
 * @param shed When this node turns requests away because it has too many. Never unless set.
 * @param concurrency How many requests of one kind may run at once on this node.
 * @param jitter By how many percent, at random, clients are told to wait longer than they have to.
 */
record HttpProperties(
        @DefaultValue({
            "/actuator/health",
            "/actuator/health/liveness",
            "/actuator/health/readiness",
            "/livez",
            "/readyz"
        })
        List<String> probes,

        @DefaultValue List<RouteProperties> routes,
        @DefaultValue ClientAddressProperties clientAddress,
        @DefaultValue({"ietf-11", "x-epoch"}) List<Dialect> dialects,
        @DefaultValue("429") int impossibleStatus,
        @DefaultValue("403") int exhaustedStatus,
        @DefaultValue("0s") Duration resetJitter,
        @Nullable ShedProperties shed,
        @DefaultValue List<ConcurrencyProperties> concurrency,
        @DefaultValue("0") int jitter) {

    /**
     * When this node turns requests away because it has too many.
     *
     * @param inFlight How many requests may be in flight at once on this node, except for probes. Required.
     * @param retryAfter After how long those that are turned away are told to come back.
     */
    record ShedProperties(
            @Nullable Integer inFlight, @DefaultValue("5s") Duration retryAfter) {}

    /**
     * How many requests of one kind may run at once on this node.
     *
     * @param name What the guard is called in metrics. Required.
     * @param path Which paths, as in routes. Required.
     * @param calls How many may run at once, for all keys together. Required.
     * @param perKey How many may run at once for each key. Keys are not told apart unless it is set.
     * @param key Whose request it is, as in routes. Required with per-key.
     * @param retryAfter After how long those that are turned away are told to come back.
     */
    record ConcurrencyProperties(
            @Nullable String name,
            @Nullable String path,
            @Nullable Integer calls,
            @Nullable Integer perKey,
            @DefaultValue List<String> key,
            @DefaultValue("5s") Duration retryAfter) {}

    /**
     * One route.
     *
     * @param path Which paths: segments, * for any one segment, ** at the end for whatever follows. Required.
     * @param methods Which methods, in capitals; all unless set.
     * @param limit The name of the limit. Required unless the cost is 0, there are several, or the route spends quotas.
     * @param key Who pays: client-address, principal, header:NAME, secret-header:NAME, all, or the name of a KeyResolver bean;
     *     several together are one key. Required unless the cost is 0.
     * @param limits Instead of limit and key: several limits with a key each, which grant together or are not charged.
     * @param missingKey What happens to a request without a key: deny unless set, skip or shared.
     * @param cost How many permits a request costs: 1 unless set, and 0 for requests that are never limited.
     * @param spend Which quotas a request takes from, once its limits have granted it. None unless set.
     * @param position Before-authentication or after-authentication; unless set, as the key needs it.
     */
    record RouteProperties(
            @Nullable String path,
            @DefaultValue List<String> methods,
            @Nullable String limit,
            @DefaultValue List<String> key,
            @DefaultValue List<RouteLimitProperties> limits,
            @DefaultValue("deny") MissingKey missingKey,
            @DefaultValue("1") long cost,
            @Nullable SpendProperties spend,
            @Nullable Position position) {}

    /**
     * What a request takes from quotas.
     *
     * @param quotas The quotas with a key each: all of them, or none. Required.
     * @param amount How much, in the smallest unit: 1 unless set.
     * @param estimated Whether the amount is put aside, for the handler to settle.
     * @param refundedOnFailure Whether what was spent is given back if the request fails.
     * @param idempotencyKeys Whether a request that is sent again under its Idempotency-Key does not pay again: ignored unless set, accepted or
     *     required.
     */
    record SpendProperties(
            @DefaultValue List<RouteQuotaProperties> quotas,
            @DefaultValue("1") long amount,
            @DefaultValue("false") boolean estimated,
            @DefaultValue("false") boolean refundedOnFailure,
            @DefaultValue("ignored") IdempotencyKeys idempotencyKeys) {}

    /**
     * One of the quotas of a route.
     *
     * @param name The name of the quota. Required.
     * @param key Who pays, as for a route. Required.
     */
    record RouteQuotaProperties(
            @Nullable String name, @DefaultValue List<String> key) {}

    /**
     * One of several limits of a route.
     *
     * @param name The name of the limit. Required.
     * @param key Who pays, as for a route. Required.
     */
    record RouteLimitProperties(
            @Nullable String name, @DefaultValue List<String> key) {}

    /**
     * How the address of a client is found out.
     *
     * @param trustedProxies Addresses and networks of your own proxies: what they say about their client is believed, and
     *     nothing that others say.
     * @param readFrom Which header field your proxies write.
     * @param ipv6Prefix By how many bits of an IPv6 address clients are told apart.
     */
    record ClientAddressProperties(
            @DefaultValue List<String> trustedProxies,
            @DefaultValue("x-forwarded-for") ClientAddress.ForwardedBy readFrom,
            @DefaultValue("64") int ipv6Prefix) {}
}
