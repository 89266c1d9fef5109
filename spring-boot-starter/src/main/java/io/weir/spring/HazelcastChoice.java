package io.weir.spring;

import com.hazelcast.core.HazelcastInstance;
import io.weir.hazelcast.HazelcastStore;
import io.weir.store.Store;
import java.util.List;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.NamedBeanHolder;
import org.springframework.core.env.Environment;

/** Which of an application's Hazelcast instances, members or clients, the buckets live in. */
final class HazelcastChoice {

    private static final String PROPERTY = WeirProperties.PREFIX + ".hazelcast-instance";

    private final ConfigurableListableBeanFactory beans;
    private final Environment environment;

    HazelcastChoice(ConfigurableListableBeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    /**
     * A store in the one that is meant.
     *
     * @param storeBean the store's own bean, which is to be closed before Hazelcast's
     * @throws Misconfiguration if there is none, if there are several, or if it cannot be joined
     */
    Store join(String storeBean, WeirProperties properties, String namespace) {
        String name = properties.hazelcastInstance();
        NamedBeanHolder<HazelcastInstance> chosen = name != null ? named(name) : only();
        beans.registerDependentBean(chosen.getBeanName(), storeBean);
        try {
            return HazelcastStore.join(chosen.getBeanInstance(), namespace);
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new Misconfiguration.OfHazelcast(
                    "Weir cannot keep its buckets in the Hazelcast instance \"" + chosen.getBeanName() + "\": "
                            + e.getMessage(),
                    "Do what the message says, or set " + PROPERTY + " to the name of another bean.",
                    e);
        }
    }

    private NamedBeanHolder<HazelcastInstance> named(String name) {
        if (!beans.containsBean(name) || !beans.isTypeMatch(name, HazelcastInstance.class)) {
            throw new Misconfiguration.OfSetting(
                    Setting.of(environment, PROPERTY),
                    "there is no such bean of type HazelcastInstance, only " + candidates() + ".",
                    Advice.write(PROPERTY),
                    null);
        }
        return new NamedBeanHolder<>(name, beans.getBean(name, HazelcastInstance.class));
    }

    private NamedBeanHolder<HazelcastInstance> only() {
        try {
            return beans.resolveNamedBean(HazelcastInstance.class);
        } catch (NoUniqueBeanDefinitionException e) {
            throw new Misconfiguration.OfHazelcast(
                    "Limits are kept in Hazelcast, and there are several beans of type HazelcastInstance: "
                            + candidates() + ", none of them primary.",
                    "Set " + PROPERTY + " to the name of one of them, or mark it @Primary.",
                    e);
        } catch (NoSuchBeanDefinitionException e) {
            throw new Misconfiguration.OfHazelcast(
                    "Limits are kept in Hazelcast, and there is no bean of type HazelcastInstance.",
                    "Add hazelcast.yaml or hazelcast-client.yaml to the class path, or a bean of type Config, ClientConfig"
                            + " or HazelcastInstance. Or set weir.store to local: each node then enforces the limits by"
                            + " itself, and n nodes let n times as much through.",
                    e);
        }
    }

    private List<String> candidates() {
        return List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, HazelcastInstance.class));
    }
}
