package io.weir.spring;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether there is a quota in properties. */
final class OnQuotas extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean some = Binder.get(context.getEnvironment())
                .bind(WeirProperties.PREFIX + ".quotas", Bindable.mapOf(String.class, Object.class))
                .map(quotas -> !quotas.isEmpty())
                .orElse(false);
        return new ConditionOutcome(
                some, ConditionMessage.forCondition("Weir").because("quotas in properties: " + some));
    }
}
