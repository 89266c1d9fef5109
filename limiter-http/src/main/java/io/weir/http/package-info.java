/**
 * Limits for HTTP: which requests they are for, who pays, and how decisions are answered.
 *
 * <p>{@link io.weir.http.Route} says which requests a limit is for, by whose key (a {@link io.weir.http.KeyResolver}, such as
 * {@link io.weir.http.ClientAddress}) and at what cost. {@link io.weir.http.HttpLimits} holds the routes of an application, decides on an
 * {@link io.weir.http.IncomingRequest}, and gives an {@link io.weir.http.HttpAnswer} that any server can apply.
 * {@link io.weir.http.RateLimitFilter} does both in a servlet container; for others it is a few lines, as on the JDK's own:
 *
 * <pre>{@code
 * try (exchange) {
 *     HttpAnswer answer = limits.answer(new Asked(exchange, new HashMap<>()), Position.BEFORE_AUTHENTICATION);
 *     answer.fields().forEach(exchange.getResponseHeaders()::set);
 *     if (answer instanceof HttpAnswer.Denied denied && exchange.getRequestMethod().equals("HEAD")) {
 *         exchange.sendResponseHeaders(denied.status(), -1);
 *     } else if (answer instanceof HttpAnswer.Denied denied) {
 *         byte[] body = denied.body().getBytes(StandardCharsets.UTF_8);
 *         exchange.sendResponseHeaders(denied.status(), body.length);
 *         exchange.getResponseBody().write(body);
 *     } else {
 *         handler.handle(exchange);
 *     }
 * }
 * }</pre>
 *
 * <p>{@link io.weir.http.HttpGuards} bounds what a node takes upon itself at one time, in the same way: an {@link
 * io.weir.http.Admission}, a {@link io.weir.http.GuardFilter}.
 *
 * <p>A route can {@linkplain io.weir.http.Route#spending spend} quotas as well: {@link io.weir.http.QuotaUse} says which, {@link io.weir.http.HttpQuotas} keeps
 * them, and what a request has taken is a {@link io.weir.http.QuotaCharge} until the request ends.
 *
 * <p>{@link io.weir.http.HttpMapping} answers decisions that were come by in another way: {@code mapping.answer(limiter.tryAcquire(client),
 * Instant.now())}.
 *
 * <table>
 *   <caption>What is answered</caption>
 *   <tr><th>decision</th><th>status</th><th>fields besides the content type</th></tr>
 *   <tr><td>granted</td><td>the handler's</td><td>meter</td></tr>
 *   <tr><td>denied</td><td>429</td><td>{@code Retry-After}, meter</td></tr>
 *   <tr><td>more than the capacity</td><td>429, or 400 or 413 as configured</td><td>meter: no wait would help</td></tr>
 *   <tr><td>denied by this node's share</td><td>429</td><td>none of its own: nobody knows the balance</td></tr>
 *   <tr><td>denied because the store is away</td><td>503</td><td>none of its own: nobody knows for how long</td></tr>
 *   <tr><td>a quota is exhausted</td><td>403, or 402 or 429 as configured</td><td>{@code Retry-After} with the date of the reset, meter of the limits</td></tr>
 *   <tr><td>more than a whole period of the quota has</td><td>the same</td><td>meter of the limits: no wait would help</td></tr>
 *   <tr><td>none, since the quotas' ledger is away</td><td>503</td><td>meter of the limits</td></tr>
 *   <tr><td>none, since the idempotency key is another request's</td><td>422</td><td>meter of the limits</td></tr>
 *   <tr><td>none, since the idempotency key is none, or is missing</td><td>400</td><td>none</td></tr>
 *   <tr><td>none, since this node has too much to do</td><td>503</td><td>{@code Retry-After}</td></tr>
 *   <tr><td>none, since nobody knows who is asking</td><td>403</td><td>none</td></tr>
 *   <tr><td>none, since the path reads in more than one way</td><td>400</td><td>none</td></tr>
 * </table>
 *
 * <p>The meter fields say how much is left and when more returns, in the {@linkplain io.weir.http.Dialect dialects}
 * that were chosen. Whatever a decision does not know is left out, never invented; but what the first of two filters has
 * set stays if the second cannot know better. Waits are rounded up to whole
 * seconds, so that a client which sleeps as told, and is alone on its key, is granted.
 *
 * <p>The only clock that is read here is the one of {@link io.weir.http.HttpLimits.Builder#wall}, for a dialect that names
 * the hour. Nothing that a client sent is ever written to an answer: not the key, not a header.
 */
@NullMarked
package io.weir.http;

import org.jspecify.annotations.NullMarked;
