package io.weir.spring;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** What to write instead of what a property says. */
final class Advice {

    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of(WeirProperties.PREFIX);
    private static final ConfigurationPropertyName LIMITS = PREFIX.append("limits");

    private static final ConfigurationPropertyName QUOTAS = PREFIX.append("quotas");

    private static final ConfigurationPropertyName ROUTES = PREFIX.append("http.routes");
    private static final ConfigurationPropertyName CONCURRENCY = PREFIX.append("http.concurrency");

    private static final ConfigurationPropertyName CONSOLE_PATH = PREFIX.append("console.path");

    /** What is said of a property that nothing else is said of: of none that is known. */
    static final String NONE = "Correct it.";

    private static final String KEY =
            "Write who pays: client-address, principal, header:X-API-Key, secret-header:X-API-Key, all, or the name of a bean"
                    + " of type KeyResolver.";

    private Advice() {}

    /** What to write for a property that is known, in a sentence or two. */
    static String write(ConfigurationPropertyName property) {
        if (LIMITS.equals(property) || LIMITS.isParentOf(property)) {
            return "Write each limit beneath weir.limits by its name, and beneath that what it says: failure-policy, and capacity"
                    + " and refill or bandwidths.";
        }
        if (isOverride(property) || isOverride(property.getParent())) {
            return "Write each key beneath overrides once, in brackets and quotes if it has more than letters, digits and dashes, and"
                    + " beneath that its capacity and refill, or bandwidths.";
        }
        if (CONCURRENCY.isAncestorOf(property)
                && property.getLastElement(Form.UNIFORM).equals("name")) {
            return "Write a name that no other guard has, nor http, which the load shedder is called: 1 to 64 of A-Z a-z 0-9 . _ -";
        }
        if (QUOTAS.equals(property) || QUOTAS.isParentOf(property)) {
            return "Write each quota beneath weir.quotas by its name, and beneath that what it says: cap, period and zone.";
        }
        if (QUOTAS.isAncestorOf(property)) {
            return ofQuota(property.getLastElement(Form.UNIFORM));
        }
        if (ROUTES.isAncestorOf(property) && property.getParent().toString().contains(".spend.quotas")) {
            return property.getLastElement(Form.UNIFORM).equals("key") ? KEY : "Write the name of a quota.";
        }
        if (ROUTES.isAncestorOf(property)
                && property.getLastElement(Form.UNIFORM).equals("name")) {
            return "Write the name of a limit.";
        }
        if (CONSOLE_PATH.equals(property)) {
            return "Write where the page is to be, as in path: /weir, without a slash at its end.";
        }
        return switch (property.getLastElement(Form.UNIFORM)) {
            case "enabled", "exact", "shadow", "strictpartitions", "watch", "changes", "maskkeys" ->
                "Write true or false.";
            case "namespace" ->
                "Set weir.namespace to a name that is the same on every node of this application: 1 to 64 of A-Z a-z 0-9 . _ -";
            case "store" ->
                "Write hazelcast, so that all nodes enforce a limit together, or local, so that each enforces it by itself.";
            case "hazelcastinstance" -> "Write the name of a bean of type HazelcastInstance.";
            case "nodes" ->
                "Set weir.nodes to the number of members and clients that limit, 1 or more: local-share divides a limit by it.";
            case "failurepolicy" ->
                "Write deny, which turns everybody away (logins, payments); grant, which lets everybody through; or"
                        + " local-share, which goes on with this node's part of the limit. There is no default: it decides what"
                        + " happens when the owner of a bucket does not answer in time.";
            case "algorithm" ->
                "Write token-bucket (a burst and a rate), leaky-bucket (spaced), sliding-window (so many per window, nearly),"
                        + " sliding-log (exactly, up to 1000), or fixed-window (up to twice that around an edge).";
            case "carryover" ->
                "Write proportion (the same part of the capacity), as-is (the same permits), or reset (full, when the version"
                        + " rises). With strict-partitions it is proportion.";
            case "capacity" ->
                "Write the most permits that can be granted at once, a whole number of 1 or more, as in capacity: 100";
            case "refill" ->
                "Write how many permits return in which time, as in refill: 50/s, 1000/day, 5/10s or 60/1m";
            case "bandwidths" ->
                "Write a list of one to eight bandwidths, each with a name of its own, a capacity and a refill, as in"
                        + " - {name: burst, capacity: 10, refill: 10/s}";
            case "inflight" -> "Write how many requests may be in flight at once on this node, as in in-flight: 200";
            case "retryafter" -> "Write a time of more than zero and at most a day, as in retry-after: 5s";
            case "calls" -> "Write how many requests may run at once on this node, 1 or more, as in calls: 20";
            case "perkey" ->
                "Write how many requests may run at once for each key, 1 or more, and no more than calls, as in per-key: 2";
            case "concurrency" -> "Write a list of guards, as in - {name: reports, path: /reports/**, calls: 20}";
            case "name" -> "Write a name that no other bandwidth of this limit has: 1 to 64 of A-Z a-z 0-9 . _ -";
            case "deadline" -> "Write a time of more than zero and at most an hour, as in deadline: 50ms";
            case "path" -> "Write which paths, as in path: /api/**, with * for any one segment and ** at the end only.";
            case "methods" ->
                "Write methods in capitals, as in methods: [GET, POST], or remove it: then all are meant.";
            case "limits" -> "Write a list of limits, each with a key, as in - {name: site, key: all}";
            case "strikes" -> "Write how many strikes a key may have, 1 to 1000, as in strikes: 3";
            case "per" -> "Write for how long a strike counts, 1 ms to a year, as in per: 1h";
            case "first" -> "Write how long the first cool-down is, 1 ms to a year, as in first: 60s";
            case "longest" ->
                "Write how long cool-downs become, no less than first and at most a year, as in longest: 1h";
            case "forgivenafter" ->
                "Write how long after a cool-down the next is a first one again, zero to a year, as in forgiven-after: 1d";
            case "shadowof" -> "Write the name of a limit that is enforced.";
            case "limit" -> "Write the name of a limit, or cost: 0 if these requests are never limited.";
            case "key" -> KEY;
            case "datasource" -> "Write the name of a bean of type DataSource.";
            case "schema" -> "Write validate (the tables have to be there), create (in an H2 that has none), or none.";
            case "workers" -> "Write how many steps may be with the database at a time, 1 or more, as in workers: 16";
            case "keepkeys" -> "Write a time from a minute up to keep-periods, as in keep-keys: 30d";
            case "keepperiods" -> "Write a time from keep-keys up, as in keep-periods: 400d";
            case "cleanupevery" -> "Write a time, as in clean-up-every: 6h; 0 is never.";
            case "hold" -> "Write a time from a second to a day, as in hold: 10m";
            case "spend" ->
                "Write the quotas beneath it, as in spend: {quotas: [{name: tokens, key: principal}], amount: 10}";
            case "quotas" -> "Write a list of 1 to 16 quotas, each with a key, as in - {name: tokens, key: principal}";
            case "amount" -> "Write how much a request takes of each quota, 1 or more, as in amount: 10";
            case "estimated", "refundedonfailure" -> "Write true or false.";
            case "idempotencykeys" ->
                "Write ignored, accepted or required: ignored where what was taken can be given back.";
            case "exhaustedstatus" -> "Write 403, 402 or 429.";
            case "resetjitter" -> "Write a time of zero to a day, as in reset-jitter: 5m";
            case "missingkey" -> "Write deny, shared or skip.";
            case "cost" ->
                "Write how many permits a request costs, zero or more, and no more than the limit's capacity.";
            case "position" -> "Write before-authentication or after-authentication.";
            case "probes" -> "Write paths, as in probes: [/healthz]";
            case "routes" -> "Correct the route that is named.";
            case "trustedproxies" -> "Write addresses and networks, as in trusted-proxies: [10.0.0.0/8, fd00::/8]";
            case "readfrom" -> "Write x-forwarded-for or forwarded.";
            case "ipv6prefix" -> "Write 1 to 128.";
            case "dialects" -> "Write some of ietf-11, ietf-trio, x-epoch and x-delta.";
            case "impossiblestatus" -> "Write 429, 400 or 413.";
            case "jitter" -> "Write 0 to 100.";
            case "atcapafter" -> "Write a time, as in at-cap-after: 5m";
            case "shown" -> "Write how many keys to show, zero or more.";
            case "directives" -> "Write how many changes to show, zero or more.";
            case "debt" ->
                "Write how many permits may be owed, zero or more, as in debt: 100. Only a token-bucket can owe.";
            case "keys", "endpoint", "console", "http", "clientaddress", "quota", "shed", "penalty" ->
                "Write its settings beneath it, each on a line of its own.";
            case "version" -> "Write a whole number, 1 or more, and raise it with every change of the numbers.";
            default -> NONE;
        };
    }

    private static String ofQuota(String property) {
        return switch (property) {
            case "cap" -> "Write how much a key may spend in a period, zero or more, as in cap: 1000000";
            case "unit" -> "Write what is counted, as in unit: tokens";
            case "period" -> "Write hour, day, week, month or year.";
            case "zone" -> "Write whose clocks count, as in zone: Europe/Berlin or zone: UTC";
            case "anchor" ->
                "Write what a period starts on: of a week its day, as in monday; of a month 1 to 31; of a year month and day in"
                        + " quotes, as in \"04-01\". An hour and a day have none.";
            case "debt" -> "Write how far over the cap a settlement may go, zero or more, as in debt: 5000";
            case "failurepolicy" -> "Write deny, or grant, which spends beyond the cap while the database is away.";
            default -> NONE;
        };
    }

    /** Whether it is what the overrides of a limit stand beneath. */
    private static boolean isOverride(ConfigurationPropertyName property) {
        return LIMITS.isAncestorOf(property)
                && property.getNumberOfElements() == LIMITS.getNumberOfElements() + 2
                && property.getLastElement(Form.UNIFORM).equals("overrides");
    }

    static String write(String property) {
        return write(ConfigurationPropertyName.of(property));
    }

    /** Which names there are where {@code unknown} is not one. */
    static String known(ConfigurationPropertyName unknown) {
        Type type = WeirProperties.class;
        int depth = PREFIX.getNumberOfElements();
        Type next = type;
        while (next != null && depth < unknown.getNumberOfElements()) {
            type = next;
            next = beneath(type, unknown.getElement(depth++, Form.UNIFORM));
        }
        String where = unknown.chop(depth - 1).toString();
        String names = "Beneath " + where + " there are " + names(type) + ".";
        if (type == LimitProperties.class) {
            return names + " If the name of the limit has a dot, write it in brackets and quotes, as in \"[api.v1]\":";
        }
        return type == NumbersProperties.class
                ? names + " If the key has a dot, write it in brackets and quotes, as in \"[10.0.0.7]\":"
                : names;
    }

    /** What a property of {@code type} that is called {@code name} is; null if there is none. */
    private static @Nullable Type beneath(Type type, String name) {
        if (type instanceof ParameterizedType several) { // a list of something, or a map to something
            Type[] arguments = several.getActualTypeArguments();
            return arguments[arguments.length - 1];
        }
        return components(type)
                .filter(each -> each.getName().equalsIgnoreCase(name))
                .map(RecordComponent::getGenericType)
                .findFirst()
                .orElse(null);
    }

    private static List<String> names(Type type) {
        return components(type)
                .map(RecordComponent::getName)
                .map(DataObjectPropertyName::toDashedForm)
                .toList();
    }

    private static Stream<RecordComponent> components(Type type) {
        return type instanceof Class<?> some && some.isRecord()
                ? Arrays.stream(some.getRecordComponents())
                : Stream.of();
    }
}
