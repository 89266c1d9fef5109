package io.weir.spring;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** What to write instead of what a property says. */
final class Advice {

    private static final ConfigurationPropertyName LIMITS =
            ConfigurationPropertyName.of(WeirProperties.PREFIX + ".limits");

    private Advice() {}

    /** What to write for a property that is known, in a sentence or two. */
    static String write(ConfigurationPropertyName property) {
        if (LIMITS.equals(property) || LIMITS.isParentOf(property)) {
            return "Write each limit beneath weir.limits by its name, and beneath that what it says: failure-policy, and capacity"
                    + " and refill or bandwidths.";
        }
        return switch (property.getLastElement(Form.UNIFORM)) {
            case "enabled", "exact", "strictpartitions" -> "Write true or false.";
            case "namespace" ->
                "Set weir.namespace to a name that is the same on every node of this application: 1 to 64 of A-Z a-z 0-9 . _ -";
            case "store" ->
                "Write hazelcast, so that all nodes enforce a limit together, or local, so that each enforces it by itself.";
            case "hazelcastinstance" -> "Write the name of a bean of type HazelcastInstance.";
            case "nodes" ->
                "Set weir.nodes to the number of members and clients that limit, 1 or more: local-share divides a limit by it.";
            case "failurepolicy" ->
                "Write deny, which turns everybody away (logins, payments); grant, which lets everybody through; or"
                        + " local-share, which goes on with this node's part of the limit. There is no default: it decides what"
                        + " happens when the owner of a bucket does not answer in time.";
            case "capacity" ->
                "Write the most permits that can be granted at once, a whole number of 1 or more, as in capacity: 100";
            case "refill" ->
                "Write how many permits return in which time, as in refill: 50/s, 1000/day, 5/10s or 60/1m";
            case "bandwidths" ->
                "Write a list of one to eight bandwidths, each with a name of its own, a capacity and a refill, as in"
                        + " - {name: burst, capacity: 10, refill: 10/s}";
            case "name" -> "Write a name that no other bandwidth of this limit has: 1 to 64 of A-Z a-z 0-9 . _ -";
            case "deadline" -> "Write a time of more than zero and at most an hour, as in deadline: 50ms";
            case "version" -> "Write a whole number, 1 or more, and raise it with every change of the numbers.";
            default -> "Correct it.";
        };
    }

    static String write(String property) {
        return write(ConfigurationPropertyName.of(property));
    }

    /** Which names there are where {@code unknown} is not one. */
    static String known(ConfigurationPropertyName unknown) {
        boolean inLimit =
                LIMITS.isAncestorOf(unknown) && unknown.getNumberOfElements() > LIMITS.getNumberOfElements() + 1;
        if (!inLimit) {
            return "Beneath weir there are " + names(WeirProperties.class) + ".";
        }
        boolean inBandwidth = "bandwidths".equals(unknown.getElement(LIMITS.getNumberOfElements() + 1, Form.UNIFORM));
        return inBandwidth
                ? "A bandwidth has " + names(BandwidthProperties.class) + "."
                : "A limit has " + names(LimitProperties.class)
                        + ". If the name of the limit has a dot, write it in brackets and quotes, as in \"[api.v1]\":";
    }

    private static List<String> names(Class<? extends Record> properties) {
        return Arrays.stream(properties.getRecordComponents())
                .map(RecordComponent::getName)
                .map(DataObjectPropertyName::toDashedForm)
                .toList();
    }
}
