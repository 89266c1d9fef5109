package io.weir.spring;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Tells Mockito's mocks, which tests put in the place of beans and which nothing has to limit. Asks Mockito: a mock may be of the
 * very class that it mocks.
 */
final class Mocks {

    private static final @Nullable Method DETAILS = method("org.mockito.Mockito", "mockingDetails", Object.class);
    private static final @Nullable Method IS_MOCK = method("org.mockito.MockingDetails", "isMock");

    private Mocks() {}

    static boolean isMock(Object bean) {
        if (DETAILS == null || IS_MOCK == null) {
            return false;
        }
        Object details = ReflectionUtils.invokeMethod(DETAILS, null, bean);
        return Boolean.TRUE.equals(ReflectionUtils.invokeMethod(IS_MOCK, details));
    }

    private static @Nullable Method method(String type, String name, Class<?>... parameters) {
        ClassLoader loader = Mocks.class.getClassLoader();
        return ClassUtils.isPresent(type, loader)
                ? ClassUtils.getMethodIfAvailable(ClassUtils.resolveClassName(type, loader), name, parameters)
                : null;
    }
}
