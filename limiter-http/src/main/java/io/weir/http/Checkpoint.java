package io.weir.http;

import io.weir.Limit;
import io.weir.Limiter;
import io.weir.Weir;
import java.util.ArrayList;
import java.util.List;

/**
 * A route with what decides on it. Which limits are shadows is known here and not to the route; where it stands, and whether it
 * hides others, is judged without them, since what only reports must not change what is enforced.
 *
 * @param enforced which decide, in the route's order; none if the route is free, or if all its limits are shadows
 * @param shadows which only report
 */
record Checkpoint(Route route, List<Charged> enforced, List<Charged> shadows) {

    /** The most limits that can be asked together. */
    private static final int MOST_CHARGES = 32;

    /** A limit, and who pays. */
    record Charged(Limiter limiter, KeyResolver key) {}

    /** @throws IllegalArgumentException naming the route, if it cannot be limited so */
    static Checkpoint of(Route route, Weir weir) {
        List<Charged> enforced = new ArrayList<>();
        List<Charged> shadows = new ArrayList<>();
        for (Route.Charge each : route.isFree() ? List.<Route.Charge>of() : route.charges()) {
            Limiter limiter = limiter(route, each.limit(), weir);
            (limiter.limit().isShadow() ? shadows : enforced).add(new Charged(limiter, each.key()));
        }
        Checkpoint made = new Checkpoint(route, List.copyOf(enforced), List.copyOf(shadows));
        made.requireGrantable();
        return made;
    }

    private static Limiter limiter(Route route, String limit, Weir weir) {
        try {
            return weir.limiter(limit);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(route + ": " + e.getMessage(), e);
        }
    }

    private void requireGrantable() {
        int charges = enforced.size() + shadows.size();
        if (charges > MOST_CHARGES) {
            throw new IllegalArgumentException(
                    route + " has " + charges + " limits, but " + MOST_CHARGES + " at most can be asked together");
        }
        for (List<Charged> some : List.of(enforced, shadows)) {
            for (Charged each : some) {
                long times = some.stream().filter(each::equals).count(); // they are asked for the sum
                Limit limit = each.limiter().limit();
                requireAtMost(limit.rule().algorithm().smallestCapacity(), times, "limit \"" + limit.name() + "\"", "");
                requireAtMost(
                        limit.leastCapacity(), times, "an override of limit \"" + limit.name() + "\"", " of its key");
            }
        }
    }

    private void requireAtMost(long capacity, long times, String whose, String which) {
        if (route.cost() > capacity / times) {
            throw new IllegalArgumentException(route + " costs " + route.cost()
                    + (times > 1 ? ", " + times + " times for one key" : "") + ", more than the capacity of " + whose
                    + ", " + capacity + ": no request" + which + " could ever be granted");
        }
    }

    /** Whether it decides nothing: the routes behind it do. */
    boolean onlyReports() {
        return !route.isFree() && enforced.isEmpty() && route.quota() == null;
    }

    boolean isAt(Position position) {
        return route.isFree() || position() == position;
    }

    Position position() {
        QuotaUse quota = route.quota();
        return route.position((quota != null && quota.needsAuthentication())
                || needsAuthentication(enforced.isEmpty() && quota == null ? shadows : enforced));
    }

    /** Whether who pays is known after authentication only, for one of these. */
    static boolean needsAuthentication(List<Charged> charges) {
        return charges.stream().anyMatch(each -> each.key().needsAuthentication());
    }

    /** {@link Route#hides} */
    boolean hides(Checkpoint later) {
        return !onlyReports() && route.hides(later.route);
    }
}
