package io.weir.spring;

import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Whether keys are watched: which ask for most, and which sit at their cap.
 *
 * @param watch Whether to watch keys. Needs org.apache.datasketches:datasketches-java on the class path.
 * @param atCapAfter For how long a key has to be denied before an event of type KeyAtCap is published.
 * @param shown How many of a limit's busiest keys the actuator endpoint shows: zero or more.
 */
record KeysProperties(
        @DefaultValue("false") boolean watch,
        @DefaultValue("5m") Duration atCapAfter,
        @DefaultValue("10") int shown) {}
