package io.weir.spring;

import io.weir.quota.LedgerHealth;
import java.util.LinkedHashMap;
import java.util.Map;

/** How quotas stand, as a health contributor tells it. */
final class QuotaHealthDetails {

    private QuotaHealthDetails() {}

    /** Down without tables, since nothing but a deployment brings those; while policies answer as of limits. */
    static String status(LedgerHealth health) {
        return switch (health.state()) {
            case EXACT -> HealthDetails.UP;
            case DEGRADED -> HealthDetails.DEGRADED;
            case TABLES_MISSING -> HealthDetails.DOWN;
        };
    }

    /** The state and, unless the database decides, since when and why. */
    static Map<String, Object> of(LedgerHealth health) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", health.state().name());
        if (health.state() != LedgerHealth.State.EXACT) {
            details.put("lasting", health.lasting().toString());
            details.put("why", String.valueOf(health.why()));
        }
        return details;
    }
}
