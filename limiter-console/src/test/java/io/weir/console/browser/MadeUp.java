package io.weir.console.browser;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.weir.console.ConsoleAnswer;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Data as a console might give it, of a cluster that is not there. What it says may be changed while a page looks. Thread-safe. */
final class MadeUp {

    /** What a cluster says; text in it is JSON already. */
    record Said(List<String> members, List<Line> limits, List<String> penalties, List<String> quotas, int total) {}

    /** A limit, with the name that is filtered by. */
    record Line(String name, String json) {}

    private static final ConsoleAnswer AWAY = new ConsoleAnswer(
            503, Map.of("Content-Type", "text/plain"), "nothing yet".getBytes(StandardCharsets.UTF_8));

    private final AtomicLong tick = new AtomicLong();
    private final List<String> queries = new ArrayList<>();
    private volatile Said said;
    private volatile Way way = Way.ANSWERS;

    /** How questions are met. */
    enum Way {
        ANSWERS,
        HAS_NOTHING,
        HANGS_UP,
        IS_ANOTHER
    }

    MadeUp(Said said) {
        this.said = said;
    }

    void say(Said now) {
        said = now;
        way = Way.ANSWERS;
    }

    void go(Way now) {
        way = now;
    }

    /** For {@link PageServer#of}. */
    Optional<ConsoleAnswer> answer(String query) {
        synchronized (queries) {
            queries.add(query);
        }
        return switch (way) {
            case ANSWERS -> Optional.of(json(body(query)));
            case HAS_NOTHING -> Optional.of(AWAY);
            case HANGS_UP -> Optional.empty();
            case IS_ANOTHER -> Optional.of(json("<!doctype html><title>Sign in</title>"));
        };
    }

    List<String> queries() {
        synchronized (queries) {
            return List.copyOf(queries);
        }
    }

    private static ConsoleAnswer json(String body) {
        return new ConsoleAnswer(
                200,
                Map.of("Content-Type", "application/json", "Cache-Control", "no-store"),
                body.getBytes(StandardCharsets.UTF_8));
    }

    private String body(String query) {
        Said now = said;
        String filter = "";
        int most = 50;
        for (String each : query.split("&", -1)) {
            if (each.startsWith("filter=")) {
                filter = URLDecoder.decode(each.substring(7), StandardCharsets.UTF_8);
            } else if (each.startsWith("limits=")) {
                most = Integer.parseInt(each.substring(7));
            }
        }
        String part = filter.toLowerCase(Locale.ROOT);
        List<Line> matching = now.limits().stream()
                .filter(each -> each.name().toLowerCase(Locale.ROOT).contains(part))
                .toList();
        long nodes = now.members().stream()
                .filter(each -> !each.contains("\"LEFT\""))
                .count();
        long reporting = now.members().stream()
                .filter(each -> each.contains("\"REACHABLE\""))
                .count();
        boolean degraded = now.limits().stream().anyMatch(each -> each.json().contains("\"DEGRADED\""));
        return """
                {"node":"n1","time":"%s","tick":%d,
                 "cluster":{"state":"%s","nodes":%d,"reporting":%d,"behindSeconds":0,"members":[%s]},
                 "limits":{"total":%d,"matching":%d,"dropped":0,"keysDropped":false,"list":[%s]},
                 "penalties":[%s],"quotas":[%s]}
                """.formatted(
                        Instant.now(),
                        tick.incrementAndGet(),
                        degraded ? "DEGRADED" : "EXACT",
                        nodes,
                        reporting,
                        String.join(",", now.members()),
                        now.total(),
                        matching.size(),
                        matching.stream().limit(most).map(Line::json).collect(Collectors.joining(",")),
                        String.join(",", now.penalties()),
                        String.join(",", now.quotas()));
    }

    static String quoted(String text) {
        return '"' + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(text)) + '"';
    }

    static String member(String name, boolean here, String state, int seconds, String why) {
        return """
                {"name":%s,"here":%s,"state":"%s","seconds":%d,"why":%s,"fallbackSeconds":0.0}""".formatted(quoted(name), here, state, seconds, why.isEmpty() ? "null" : quoted(why));
    }

    static Line limit(String name, double granted, double denied, String... keys) {
        return limit(name, granted, denied, false, keys);
    }

    static Line limit(String name, double granted, double denied, boolean degraded, String... keys) {
        String busiest = IntStream.range(0, keys.length)
                .mapToObj(i -> "{\"key\":%s,\"asked\":%d,\"denied\":%d,\"headroom\":%s}"
                        .formatted(quoted(keys[i]), 1200 / (i + 1), 300 / (i + 1), i == 0 ? "0.04" : "0.5"))
                .collect(Collectors.joining(","));
        return new Line(name, """
                {"name":%s,"algorithm":"TOKEN_BUCKET","policy":"LOCAL_SHARE","version":3,"on":true,"exact":false,"shadow":false,
                 "shadowOf":null,"differs":false,"bandwidths":[{"name":"default","capacity":100,"refill":50,"period":"PT1S"}],
                 "state":"%s","why":%s,"fallbackSeconds":%s,"answeredByPolicy":%d,
                 "rate":{"granted":%s,"denied":%s,"never":0.0},"total":{"granted":123456,"denied":789,"never":0},
                 "sources":{"LOCAL":0.0,"CLUSTER":%s,"LEASE":%s,"DENY_CACHE":%s,"SHARE":%s,"POLICY":0.0,"SWITCHED_OFF":0.0,"BLOCKED":0.0},
                 "headroom":%s,"busiest":[%s]}
                """.formatted(
                        quoted(name),
                        degraded ? "DEGRADED" : "EXACT",
                        degraded ? quoted("no answer from the owner by the deadline") : "null",
                        degraded ? "12.5" : "0.0",
                        degraded ? 321 : 0,
                        granted,
                        denied,
                        granted * 0.1,
                        degraded ? 0.0 : granted * 0.9,
                        denied,
                        degraded ? granted * 0.9 : 0.0,
                        keys.length > 0 ? "0.04" : "null",
                        busiest));
    }

    /** Of which nobody knows anything yet. */
    static Line unknown(String name) {
        return new Line(
                name,
                limit(name, 0, 0)
                        .json()
                        .replaceAll("\"(granted|denied|never)\":0.0", "\"$1\":null")
                        .replaceAll("\"([A-Z_]+)\":0.0", "\"$1\":null"));
    }

    /** Three members that are well, and limits as an application has them. */
    static Said healthy() {
        return new Said(
                List.of(
                        member("10.0.3.11:5701", true, "REACHABLE", 3600, ""),
                        member("10.0.3.12:5701", false, "REACHABLE", 3600, ""),
                        member("10.0.3.13:5701", false, "REACHABLE", 3600, "")),
                List.of(
                        shadow(limit("per-client-next", 1380.0, 118.6), "per-client"),
                        limit("per-client", 1412.4, 86.2, "ann", "bob", "customer-4711"),
                        limit("search", 230.1, 12.0, "203.0.113.9"),
                        limit("log-in", 3.2, 0.4, "198.51.100.7"),
                        limit("exports", 0.1, 0),
                        limit("uploads", 0, 0)),
                List.of(
                        "{\"limit\":\"log-in\",\"key\":\"198.51.100.7\",\"until\":\"%s\",\"level\":2,\"reason\":\"denied 20 times in 1 min\"}"
                                .formatted(Instant.now().plusSeconds(250))),
                List.of(
                        "{\"name\":\"tokens\",\"cap\":1000000,\"unit\":\"tokens\",\"period\":\"MONTH\",\"zone\":\"Europe/Berlin\",\"resetsAt\":\"2027-01-01T00:00:00+01:00\",\"policy\":\"DENY\"}"),
                6);
    }

    /** One member cannot be reached, and two limits are answered by their policy. */
    static Said degraded() {
        Said healthy = healthy();
        return new Said(
                List.of(
                        member("10.0.3.11:5701", true, "REACHABLE", 3600, ""),
                        member("10.0.3.12:5701", false, "REACHABLE", 3600, ""),
                        member(
                                "10.0.3.13:5701",
                                false,
                                "UNREACHABLE",
                                12,
                                "8 calls in a row had no answer by their deadline")),
                List.of(
                        limit("per-client", 1290.4, 140.2, true, "ann", "bob", "customer-4711"),
                        limit("search", 230.1, 12.0, true, "203.0.113.9"),
                        limit("log-in", 3.2, 0.4, "198.51.100.7")),
                healthy.penalties(),
                healthy.quotas(),
                3);
    }

    static Said of(List<Line> limits, int total) {
        return new Said(
                List.of(member("10.0.3.11:5701", true, "REACHABLE", 1, "")), limits, List.of(), List.of(), total);
    }

    private static Line shadow(Line line, String of) {
        return new Line(
                line.name(),
                line.json()
                        .replace("\"shadow\":false", "\"shadow\":true")
                        .replace("\"shadowOf\":null", "\"shadowOf\":" + quoted(of)));
    }

    /** One that its kill switch has turned off. */
    static Line off(Line line) {
        return new Line(line.name(), line.json().replace("\"on\":true", "\"on\":false"));
    }
}
