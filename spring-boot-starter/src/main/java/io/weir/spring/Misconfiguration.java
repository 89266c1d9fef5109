package io.weir.spring;

import org.jspecify.annotations.Nullable;

/**
 * A mistake in how an application is set up, which stops its start. It says what is wrong and what to do about it, and Spring Boot
 * prints both and nothing else.
 */
abstract sealed class Misconfiguration extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    private Misconfiguration(String problem, String action, @Nullable Throwable cause) {
        super(problem, cause);
        this.action = action;
    }

    /** What to do about it, in a sentence or two. */
    String action() {
        return action;
    }

    /** A property says what it cannot. */
    static final class OfSetting extends Misconfiguration {
        private static final long serialVersionUID = 1L;

        OfSetting(Setting setting, String reason, String action, @Nullable Throwable cause) {
            super(setting.says() + ": " + reason, action, cause);
        }
    }

    /** There is no Hazelcast to use, or no telling which. */
    static final class OfHazelcast extends Misconfiguration {
        private static final long serialVersionUID = 1L;

        OfHazelcast(String problem, String action, @Nullable Throwable cause) {
            super(problem, action, cause);
        }
    }

    /** There is nowhere to keep quotas, or no telling where. */
    static final class OfQuotas extends Misconfiguration {
        private static final long serialVersionUID = 1L;

        OfQuotas(String problem, String action, @Nullable Throwable cause) {
            super(problem, action, cause);
        }
    }

    /** There is no console to show, or nothing that it could show. */
    static final class OfConsole extends Misconfiguration {
        private static final long serialVersionUID = 1L;

        OfConsole(String problem, String action) {
            super(problem, action, null);
        }
    }

    /** There is no telling which load shedder to use. */
    static final class OfShedder extends Misconfiguration {
        private static final long serialVersionUID = 1L;

        OfShedder(String problem, String action, @Nullable Throwable cause) {
            super(problem, action, cause);
        }
    }

    /** A {@link RateLimited} that could not limit what it stands on. */
    static final class OfMethod extends Misconfiguration {
        private static final long serialVersionUID = 1L;

        OfMethod(String problem, String action, @Nullable Throwable cause) {
            super(problem, action, cause);
        }
    }
}
