package io.weir.spring;

import io.weir.Limit;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether there is a limit at all, in properties or as a bean. */
final class OnLimits extends SpringBootCondition implements ConfigurationCondition {

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN; // the application's beans are known by then
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean inProperties = Binder.get(context.getEnvironment())
                .bind(WeirProperties.PREFIX + ".limits", Bindable.mapOf(String.class, Object.class))
                .map(limits -> !limits.isEmpty())
                .orElse(false);
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        boolean asBeans = beans != null && beans.getBeanNamesForType(Limit.class, true, false).length > 0;
        return new ConditionOutcome(
                inProperties || asBeans,
                ConditionMessage.forCondition("Weir")
                        .because("limits in properties: " + inProperties + ", as beans: " + asBeans));
    }
}
