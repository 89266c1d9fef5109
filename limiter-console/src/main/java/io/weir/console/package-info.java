/**
 * A page that shows an application's limits as they are enforced at this moment, on every node of its cluster.
 *
 * <p>{@link io.weir.console.ConsoleMeters} counts decisions. A {@link io.weir.console.Console} looks once a second: while somebody looks at
 * any of them, it makes this node's {@code NodeNote} and posts it on the {@linkplain io.weir.store.Board board} of the store; and the one
 * that is looked at reads the others', merges them into a {@code Snapshot}, and writes that as JSON for as many as ask. {@link
 * io.weir.console.ConsoleServlet} serves page and JSON; where there are no servlets, {@link io.weir.console.Console#answer} says what to
 * answer:
 *
 * <pre>{@code
 * ConsoleAnswer answer = console.answer(exchange.getRequestMethod(), "/weir", path, exchange.getRequestURI().getRawQuery());
 * answer.fields().forEach(exchange.getResponseHeaders()::set);
 * boolean head = exchange.getRequestMethod().equals("HEAD");
 * exchange.sendResponseHeaders(answer.status(), head ? -1 : answer.body().length);
 * if (!head) {
 *     exchange.getResponseBody().write(answer.body());
 * }
 * }</pre>
 *
 * <p>The page itself, its script and its style lie beside the classes, and uPlot, which draws the chart, comes out of its webjar. What
 * nodes say of themselves is read with the same care as what clients say: bounded, and as text.
 */
@NullMarked
package io.weir.console;

import org.jspecify.annotations.NullMarked;
