package io.weir.spring;

import io.weir.Health;
import io.weir.LimitHealth;
import io.weir.store.OwnerHealth;
import io.weir.store.StoreUnavailableException.Reason;
import java.util.LinkedHashMap;
import java.util.Map;

/** How limits stand, as a health contributor tells it. Both Spring Boots make of it what they call health. */
final class HealthDetails {

    /**
     * The status while a failure policy answers for some keys. Not one that Spring Boot knows, on purpose: it is shown, and alone
     * changes neither the health of the application nor a status of HTTP, so that nothing takes a node out of service, or
     * restarts it, that answers as its limits say it should.
     */
    static final String DEGRADED = "DEGRADED";

    /** Those that both Spring Boots know. */
    static final String UP = "UP";

    static final String DOWN = "DOWN";

    private HealthDetails() {}

    /** Down if only another deployment helps: some member lacks Weir's jar, or has one that cannot be read. */
    static String status(Health health) {
        boolean incompatible = health.limits().stream().anyMatch(each -> each.reason() == Reason.INCOMPATIBLE);
        return incompatible ? DOWN : health.isExact() ? UP : DEGRADED;
    }

    /**
     * For each limit its state and, while that is degraded, since when and why; for each owner the same; and for how long nothing was heard of
     * directives, if that is long.
     */
    static Map<String, Object> of(Health health) {
        Map<String, Object> limits = new LinkedHashMap<>();
        health.limits().forEach(each -> limits.put(each.limit(), of(each)));
        Map<String, Object> owners = new LinkedHashMap<>();
        health.owners().forEach(each -> owners.put(each.member(), of(each)));
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("limits", limits);
        if (!owners.isEmpty()) {
            details.put("owners", owners);
        }
        if (!health.behind().isZero()) {
            details.put("directivesBehind", health.behind().toString());
        }
        return details;
    }

    private static Object of(LimitHealth limit) {
        if (limit.state() == LimitHealth.State.EXACT) {
            return limit.state().name();
        }
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", limit.state().name());
        details.put("lasting", limit.lasting().toString());
        details.put("policy", limit.policy().name());
        details.put("reason", String.valueOf(limit.reason()));
        details.put("why", String.valueOf(limit.why()));
        details.put("answeredByPolicy", limit.answeredByPolicy());
        return details;
    }

    private static Object of(OwnerHealth owner) {
        return switch (owner.state()) {
            case REACHABLE -> owner.state().name();
            case UNREACHABLE -> {
                Map<String, Object> details = new LinkedHashMap<>();
                details.put("state", owner.state().name());
                details.put("lasting", owner.lasting().toString());
                details.put("why", String.valueOf(owner.why()));
                yield details;
            }
        };
    }
}
