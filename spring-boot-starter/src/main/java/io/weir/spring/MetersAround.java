package io.weir.spring;

import io.weir.Meters;
import org.jspecify.annotations.Nullable;

/** Puts other meters around those of the application, for a part that is not always there. */
@FunctionalInterface
interface MetersAround {

    /** What is told of decisions, and tells {@code meters}; null if the application has none. */
    Meters around(@Nullable Meters meters);
}
