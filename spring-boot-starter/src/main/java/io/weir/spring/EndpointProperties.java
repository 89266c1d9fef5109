package io.weir.spring;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What the actuator endpoint may do.
 *
 * @param changes Whether the endpoint changes limits, overrides and blocks, on every node, rather than only showing them.
 * @param directives How many of the changes in force the endpoint shows: zero or more.
 */
record EndpointProperties(
        @DefaultValue("false") boolean changes,
        @DefaultValue("100") int directives) {}
