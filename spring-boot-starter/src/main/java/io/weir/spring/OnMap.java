package io.weir.spring;

import io.weir.spring.WeirProperties.StoreKind;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether Hazelcast is to have the map of buckets: limits are kept there, or will be in a namespace that is known already. */
final class OnMap extends SpringBootCondition implements ConfigurationCondition {

    private final OnLimits limits = new OnLimits();

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return limits.getConfigurationPhase();
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Environment environment = context.getEnvironment();
        if (!inHazelcast(environment)) {
            return ConditionOutcome.noMatch(
                    ConditionMessage.forCondition("Weir").because("limits are not kept in Hazelcast"));
        }
        return Namespace.isThere(environment)
                ? ConditionOutcome.match(ConditionMessage.forCondition("Weir").because("there is a namespace"))
                : limits.getMatchOutcome(context, metadata); // with limits, that it is not there stops the start
    }

    private static boolean inHazelcast(Environment environment) {
        try {
            return Binder.get(environment)
                            .bind(WeirProperties.PREFIX + ".store", StoreKind.class)
                            .orElse(StoreKind.HAZELCAST)
                    == StoreKind.HAZELCAST;
        } catch (BindException e) {
            return false; // told when all properties are read
        }
    }
}
