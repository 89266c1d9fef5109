package io.weir.spring;

import java.util.Optional;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * The page that shows all limits, on all nodes, as they are now.
 *
 * @param enabled Whether this node has a console: it tells the others how its limits stand and, in a servlet application, serves the page.
 * @param path Where the page is, without a slash at its end. Whoever may read it sees clients' keys: guard it.
 * @param maskKeys Whether keys are shown as a digest, rather than as they are.
 */
record ConsoleProperties(
        @DefaultValue("false") boolean enabled,
        @DefaultValue("/weir") String path,
        @DefaultValue("false") boolean maskKeys) {

    static final ConfigurationPropertyName PATH = ConfigurationPropertyName.of(WeirProperties.PREFIX + ".console.path");

    /** Where it is, if it is to be anywhere: it is not limited itself, since it is for the times when everything else is. */
    Optional<String> place() {
        return enabled && !path.isEmpty() ? Optional.of(path) : Optional.empty();
    }
}
