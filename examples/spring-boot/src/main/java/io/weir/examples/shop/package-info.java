/** Weir in a Spring Boot application. */
@NullMarked
package io.weir.examples.shop;

import org.jspecify.annotations.NullMarked;
