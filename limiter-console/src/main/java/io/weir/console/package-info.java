/** A page that shows an application's limits as they are enforced at this moment, on every node of its cluster. */
@NullMarked
package io.weir.console;

import org.jspecify.annotations.NullMarked;
