/**
 * A proxy in front of a language model that meters tokens: {@link io.weir.examples.llm.Completions} is what it does, {@link
 * io.weir.examples.llm.Metered} how what was put aside becomes what was used.
 */
@NullMarked
package io.weir.examples.llm;

import org.jspecify.annotations.NullMarked;
