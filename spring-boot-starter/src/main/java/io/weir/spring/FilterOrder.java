package io.weir.spring;

import io.weir.http.Position;

/**
 * Where filters stand: as close as can be to the one that authenticates, guards in front of limits, so that who is refused by a guard is
 * not charged.
 */
final class FilterOrder {

    static final String SECURITY_ORDER = "spring.security.filter.order";
    static final int USUAL_SECURITY_ORDER = -100;

    private FilterOrder() {}

    static int ofGuards(Position position, int security) {
        return switch (position) {
            case BEFORE_AUTHENTICATION -> security - 2;
            case AFTER_AUTHENTICATION -> security + 1;
        };
    }

    static int ofLimits(Position position, int security) {
        return ofGuards(position, security) + 1;
    }
}
