/**
 * The front door: limits, limiters, decisions.
 *
 * <p>{@link io.weir.Limit} describes a rule and says in writing what happens when its owner cannot be reached;
 * {@link io.weir.Weir} holds an application's limits over one {@linkplain io.weir.store.Store store};
 * {@link io.weir.Limiter} asks; {@link io.weir.Decision} answers. {@link io.weir.Health} tells whether limits are enforced as
 * written, and if not, since when and why; {@link io.weir.KeyWatch} tells which keys ask for most. Everything here is
 * thread-safe.
 */
@NullMarked
package io.weir;

import org.jspecify.annotations.NullMarked;
