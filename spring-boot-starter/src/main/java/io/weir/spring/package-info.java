/**
 * Weir in a Spring Boot application: limits in {@code application.yaml}, over the Hazelcast that the application has already.
 *
 * <pre>
 *   WeirProperties        what {@code weir.*} says, as it is written
 *     ConfiguredLimits    the limits it means, or a {@link io.weir.spring.Misconfiguration} that says what to write instead
 *       the beans         a store, a {@link io.weir.Weir}, meters: each gives way to one of the application's own
 *   MapContribution       puts the map of buckets into Hazelcast's configuration before Hazelcast starts
 *   RateLimited           limits the methods of beans
 *   ConfiguredRoutes      which HTTP requests are limited, for the filters of servlets and of WebFlux
 *   ConfiguredQuotas      the quotas beneath {@code weir.quotas}, kept in the application's {@code DataSource}; LedgerQuotas takes from them
 *   HealthDetails         how limits stand, as both Spring Boots tell health; WeirEndpoint shows more
 * </pre>
 *
 * <p>One jar serves Spring Boot 3.5 and 4: what moved between the two is named in {@code afterName}, or sits alone in a nested
 * class that is looked at only where its half is on the class path.
 */
@NullMarked
package io.weir.spring;

import org.jspecify.annotations.NullMarked;
