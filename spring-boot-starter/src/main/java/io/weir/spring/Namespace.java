package io.weir.spring;

import io.weir.hazelcast.HazelcastStore;
import org.springframework.core.env.Environment;

/** What keeps applications apart that share a cluster. */
final class Namespace {

    private static final String PROPERTY = WeirProperties.PREFIX + ".namespace";
    private static final String OTHERWISE = "spring.application.name";

    private Namespace() {}

    /** Whether there is one, and it is one. */
    static boolean isThere(Environment environment) {
        try {
            HazelcastStore.mapName(environment.getProperty(PROPERTY, environment.getProperty(OTHERWISE, "")));
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * {@code weir.namespace} or, if that is not set, the name of the application.
     *
     * @throws Misconfiguration if neither is set, or what is set is no namespace
     */
    static String of(WeirProperties properties, Environment environment) {
        String own = properties.namespace();
        String name = own != null ? own : environment.getProperty(OTHERWISE, "");
        String action = Advice.write(PROPERTY);
        if (own == null && name.isEmpty()) {
            throw new Misconfiguration.OfSetting(
                    Setting.of(environment, PROPERTY),
                    "this is missing, and so is " + OTHERWISE + ", which stands in for it.",
                    action,
                    null);
        }
        try {
            HazelcastStore.mapName(name); // refuses what is none
            return name;
        } catch (IllegalArgumentException e) {
            throw new Misconfiguration.OfSetting(
                    Setting.of(environment, own != null ? PROPERTY : OTHERWISE),
                    e.getMessage() + (own != null ? "." : ", and it stands in for " + PROPERTY + ", which is not set."),
                    action,
                    e);
        }
    }
}
