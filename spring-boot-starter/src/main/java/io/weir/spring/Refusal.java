package io.weir.spring;

import org.springframework.http.HttpStatusCode;
import org.springframework.util.ClassUtils;
import org.springframework.web.server.ResponseStatusException;

/** How an endpoint refuses: with a status over HTTP, and as it is where there is none, as over JMX. */
final class Refusal {

    private static final boolean WEB = ClassUtils.isPresent(
            "org.springframework.web.server.ResponseStatusException", Refusal.class.getClassLoader());

    private Refusal() {}

    /** What to throw. */
    static RuntimeException of(int status, RuntimeException reason) {
        return WEB ? OverHttp.of(status, reason) : reason;
    }

    /** Apart, since its types may be missing. */
    private static final class OverHttp {
        static RuntimeException of(int status, RuntimeException reason) {
            return new ResponseStatusException(HttpStatusCode.valueOf(status), reason.getMessage(), reason);
        }
    }
}
