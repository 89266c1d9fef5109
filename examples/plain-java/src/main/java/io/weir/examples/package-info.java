/** Weir without any framework. */
@NullMarked
package io.weir.examples;

import org.jspecify.annotations.NullMarked;
