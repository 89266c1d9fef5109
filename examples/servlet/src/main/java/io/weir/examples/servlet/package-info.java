/**
 * A servlet container whose requests a cluster limits: {@link io.weir.examples.servlet.LimitedServer} is all there is to it.
 */
@NullMarked
package io.weir.examples.servlet;

import org.jspecify.annotations.NullMarked;
