package io.weir.spring;

import io.weir.Weir;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Puts {@link RateLimitedInterceptor} before beans that have limited methods: first of all, so that a call that is denied opens
 * no transaction. When all beans are there it looks over every one, made or not, so that what could not be limited stops the
 * start, and not the first call; and above all is not let through.
 */
final class RateLimitedPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
        implements SmartInitializingSingleton {

    private static final long serialVersionUID = 1L;

    private static final System.Logger LOG = System.getLogger(Weir.class.getName());

    private final transient LimitedMethods methods;
    private transient @Nullable ConfigurableListableBeanFactory beans;

    RateLimitedPostProcessor(LimitedMethods methods) {
        this.methods = methods;
        this.advisor = new DefaultPointcutAdvisor(
                new StaticMethodMatcherPointcut() {
                    @Override
                    public boolean matches(Method method, Class<?> targetClass) {
                        return LimitedMethods.annotation(method, targetClass) != null;
                    }
                },
                new RateLimitedInterceptor(methods));
        setBeforeExistingAdvisors(true);
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        super.setBeanFactory(beanFactory);
        this.beans = beanFactory instanceof ConfigurableListableBeanFactory listable ? listable : null;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (beans != null) {
            for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
                check(beans, name);
            }
        }
    }

    private void check(ConfigurableListableBeanFactory beans, String name) {
        Class<?> type;
        Set<Method> limited;
        try {
            type = AutoProxyUtils.determineTargetClass(beans, name);
            limited = type == null ? Set.of() : limited(type);
        } catch (LinkageError | IllegalStateException e) { // Spring makes the one into the other
            if (beans.containsSingleton(name)) {
                throw e;
            }
            // Nobody may ever ask for it, and who does hears of it.
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "The bean \"" + name + "\" is not looked over: its class needs another that is not there.",
                    e);
            return;
        }
        if (type == null || limited.isEmpty()) {
            return;
        }
        for (Method method : limited) {
            requireProxyable(method);
            methods.of(method, type);
        }
        if (beans.containsSingleton(name)) {
            requireProxied(beans, name, limited.iterator().next());
        }
    }

    private static Set<Method> limited(Class<?> type) {
        return type.getName().startsWith("org.springframework.")
                        || !AnnotationUtils.isCandidateClass(type, RateLimited.class)
                ? Set.of()
                : MethodIntrospector.selectMethods(
                        type, (Method method) -> LimitedMethods.annotation(method, type) != null);
    }

    private static void requireProxyable(Method method) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            throw new Misconfiguration.OfMethod(
                    "@RateLimited on " + LimitedMethod.name(method)
                            + " would limit nothing: the method is private, static or final, and calls of it pass no proxy.",
                    "Make it an ordinary method that other beans call, or call a Limiter in it.",
                    null);
        }
        Class<?> returned = method.getReturnType();
        if (CompletionStage.class.isAssignableFrom(returned) && !returned.isAssignableFrom(CompletableFuture.class)) {
            throw new Misconfiguration.OfMethod(
                    "@RateLimited on " + LimitedMethod.name(method) + " cannot answer with a " + returned.getName()
                            + ".",
                    "Let the method return CompletableFuture or CompletionStage.",
                    null);
        }
    }

    private void requireProxied(ConfigurableListableBeanFactory beans, String name, Method method) {
        Object bean = beans.getSingleton(name);
        boolean proxied = bean instanceof Advised advised
                && Arrays.stream(advised.getAdvisors()).anyMatch(each -> each == advisor);
        if (proxied || bean == null || bean instanceof FactoryBean<?> || Mocks.isMock(bean)) {
            return;
        }
        String problem =
                "@RateLimited on " + LimitedMethod.name(method) + " limits nothing in the bean \"" + name + "\": ";
        if (!beans.containsBeanDefinition(name)) {
            LOG.log(System.Logger.Level.WARNING, problem + "it was not made by Spring. Call a Limiter in it.");
        } else {
            throw new Misconfiguration.OfMethod(
                    problem + "it was made before beans are given proxies.",
                    "See who asks for the bean so early: often a BeanPostProcessor. Or call a Limiter in it.",
                    null);
        }
    }
}
