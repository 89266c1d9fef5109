package io.weir.bench;

import java.lang.reflect.Proxy;

/** Objects that know nothing: to be wrapped in one that knows what it is asked for. */
final class Unknowing {

    private Unknowing() {}

    /** One that fails whatever it is asked, by name. */
    static <T> T of(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    throw new UnsupportedOperationException("nothing in process answers " + method);
                }));
    }
}
