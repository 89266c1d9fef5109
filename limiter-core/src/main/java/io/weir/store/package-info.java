/**
 * Where buckets live: the SPI that every store implements, and the store of one JVM.
 *
 * <p>A store owns two things, and nothing else: the clock that decisions are made by, and the place where a
 * {@linkplain io.weir.algorithm.Rule#take transition} runs atomically. What is decided is the algorithm's alone, so that
 * all stores agree to the last permit; {@code store-contract} is the suite that holds them to it.
 */
@NullMarked
package io.weir.store;

import org.jspecify.annotations.NullMarked;
