package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.weir.algorithm.Bandwidth;
import io.weir.guard.LoadShedder;
import io.weir.store.LocalStore;
import io.weir.store.OwnerHealth;
import io.weir.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a monitoring system makes of {@link MicrometerMeters}, whatever clients do. */
class ScrapeTest {

    /** One line: a name, its tags in order, and a number. */
    private static final Pattern SAMPLE =
            Pattern.compile("([a-z][a-z0-9_]*)\\{((?:[a-z]+=\"[^\"\\\\]*\",?)+)\\} (NaN|[-+]?[0-9.]+(?:E-?[0-9]+)?)");

    private static final Pattern TAG = Pattern.compile("([a-z]+)=\"");

    /** A meter in an expression of Prometheus, and what is in braces behind it. */
    private static final Pattern ASKED = Pattern.compile("\\b(weir_[a-z_]+)\\b(?:\\{([^}]*)})?");

    private static final Pattern SELECTOR = Pattern.compile("([a-z]+)=~?\"([^\"]+)\"");

    private static final Pattern GROUPED = Pattern.compile("by \\(([a-z, ]+)\\)");

    private static final int LIMITS = FailurePolicy.values().length;
    private static final int SHADOWS = 1;

    /** The names in a scrape, and what has to be under each: tag keys, and how many samples. */
    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("weir_decisions_total", "limit,outcome,source x " + LIMITS * 3 * 8),
            Map.entry("weir_shadow_decisions_total", "limit,outcome,source x " + SHADOWS * 3 * 8),
            Map.entry("weir_shadow_missed_decisions_total", "limit x " + SHADOWS),
            Map.entry("weir_penalties_total", "limit x " + LIMITS),
            Map.entry("weir_penalty_missed_strikes_total", "limit x " + LIMITS),
            Map.entry("weir_store_call_seconds_count", "limit,outcome x " + (LIMITS + SHADOWS) * 2),
            Map.entry("weir_store_call_seconds_sum", "limit,outcome x " + (LIMITS + SHADOWS) * 2),
            Map.entry("weir_store_call_seconds_max", "limit,outcome x " + (LIMITS + SHADOWS) * 2),
            Map.entry("weir_lease_permits_total", "event,limit x " + (LIMITS + SHADOWS) * 5),
            Map.entry("weir_fallback_seconds_total", "limit,policy x " + (LIMITS + SHADOWS)),
            Map.entry("weir_headroom_ratio", "limit x " + (LIMITS + SHADOWS)),
            Map.entry("weir_breaker_state", "member x 1"),
            Map.entry("weir_guard_shed_calls_total", "guard x 1"),
            Map.entry("weir_guard_in_flight_calls", "guard x 1"));

    private final AtomicLong nowNanos = new AtomicLong();
    private final FaultyStore store = new FaultyStore(nowNanos, OptionalInt.of(1));
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private Weir over(Store under) {
        MicrometerMeters meters = MicrometerMeters.in(registry);
        LoadShedder guard = LoadShedder.named("http").inFlight(1).meters(meters).build();
        guard.tryEnter();
        guard.tryEnter();
        Weir.Builder builder = Weir.over(under)
                .meters(meters)
                .watchKeys(KeyWatch.create())
                .time(nowNanos::get, duration -> nowNanos.addAndGet(duration.toNanos()));
        for (FailurePolicy policy : FailurePolicy.values()) {
            builder.limit(Limit.named("limit-" + policy, policy)
                    .bandwidth(Bandwidth.of(1, 1, Duration.ofDays(1)))
                    .build());
        }
        builder.limit(Limit.named("limit-tried", FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(1, 1, Duration.ofDays(1)))
                .shadowOf("limit-DENY")
                .build());
        return builder.build();
    }

    private Set<Meter.Id> ids() {
        return registry.getMeters().stream().map(Meter::getId).collect(Collectors.toSet());
    }

    /** The samples of a scrape, by name. */
    private Map<String, List<Matcher>> scrape() {
        return registry.scrape()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> {
                    Matcher sample = SAMPLE.matcher(line);
                    assertThat(sample.matches()).as(line).isTrue();
                    return sample;
                })
                .collect(Collectors.groupingBy(sample -> sample.group(1), TreeMap::new, Collectors.toList()));
    }

    private double value(String name, String tags) {
        return scrape().getOrDefault(name, List.of()).stream()
                .filter(sample -> sample.group(2).equals(tags))
                .mapToDouble(sample -> Double.parseDouble(sample.group(3)))
                .findFirst()
                .orElseThrow();
    }

    /** Asks every limit twice: the first is granted if its store answers, the second is not. */
    private static void ask(Weir weir, String key) {
        for (Limiter limiter : weir.limiters()) {
            limiter.tryAcquire(key);
            limiter.tryAcquire(key);
        }
    }

    private void everythingHappens() {
        Weir weir = over(store);
        Duration since = Duration.ofSeconds(3);
        store.ownedBy(new OwnerHealth("10.0.0.1:5701", OwnerHealth.State.UNREACHABLE, since, "no answer"));
        ask(weir, "a");
        store.failWith(FaultyStore.unreachable());
        ask(weir, "a");
        nowNanos.addAndGet(1_500_000_000);
        weir.tend();
    }

    @Test
    void hasEverySampleOnceWithTheSameTagKeysUnderOneName() {
        everythingHappens();

        Map<String, List<Matcher>> samples = scrape();
        samples.forEach((name, all) ->
                assertThat(all).as(name).extracting(sample -> sample.group(2)).doesNotHaveDuplicates());
        assertThat(samples.entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, each -> described(each.getValue()))))
                .isEqualTo(NAMES);
    }

    private static String described(List<Matcher> samples) {
        return samples.stream().map(ScrapeTest::tagKeys).distinct().collect(Collectors.joining(" and ")) + " x "
                + samples.size();
    }

    private static String tagKeys(Matcher sample) {
        return TAG.matcher(sample.group(2)).results().map(tag -> tag.group(1)).collect(Collectors.joining(","));
    }

    @Test
    void hasTheValuesThatWereCounted() {
        everythingHappens();

        assertThat(value("weir_decisions_total", "limit=\"limit-DENY\",outcome=\"granted\",source=\"local\""))
                .isEqualTo(1);
        assertThat(value("weir_decisions_total", "limit=\"limit-DENY\",outcome=\"denied\",source=\"policy\""))
                .isEqualTo(2);
        assertThat(value("weir_store_call_seconds_count", "limit=\"limit-DENY\",outcome=\"unavailable\""))
                .isEqualTo(2);
        assertThat(value("weir_fallback_seconds_total", "limit=\"limit-DENY\",policy=\"deny\""))
                .isEqualTo(1.5);
        assertThat(value("weir_headroom_ratio", "limit=\"limit-DENY\"")).isNaN(); // the policy answered last
        assertThat(value("weir_shadow_decisions_total", "limit=\"limit-tried\",outcome=\"granted\",source=\"local\""))
                .isEqualTo(1);
        assertThat(value("weir_guard_shed_calls_total", "guard=\"http\"")).isEqualTo(1);
        assertThat(value("weir_guard_in_flight_calls", "guard=\"http\"")).isEqualTo(1);
        assertThat(value("weir_breaker_state", "member=\"10.0.0.1:5701\"")).isEqualTo(1);
    }

    /** Which is the only check that they get here: no Prometheus and no Grafana is at hand. */
    @ParameterizedTest
    @ValueSource(strings = {"weir-alerts.yml", "weir-dashboard.json"})
    void hasWhatTheAlertRulesAndTheDashboardAskFor(String file) throws IOException {
        everythingHappens();
        Map<String, List<Matcher>> samples = scrape();
        String text =
                Files.readString(Path.of("..", "docs", "monitoring", file)).replace("\\\"", "\"");

        List<MatchResult> asked = ASKED.matcher(text).results().toList();
        assertThat(asked).hasSizeGreaterThan(8);
        for (MatchResult each : asked) {
            assertThat(samples).as(each.group()).containsKey(each.group(1));
            String tags = each.group(2) == null ? "" : each.group(2);
            SELECTOR.matcher(tags)
                    .results()
                    .forEach(tag -> assertThat(
                                    isThere(tag.group(1), tag.group(2), samples.getOrDefault(each.group(1), List.of())))
                            .as("%s in %s", tag.group(), each.group())
                            .isTrue());
            assertThat(SELECTOR.matcher(tags).replaceAll("")).as(each.group()).matches("[, ]*");
        }
        Set<String> tagKeys = NAMES.values().stream()
                .flatMap(described ->
                        Stream.of(described.replaceFirst(" x .*", "").split(",")))
                .collect(Collectors.toSet());
        GROUPED.matcher(text)
                .results()
                .forEach(by ->
                        assertThat(tagKeys).as(by.group()).contains(by.group(1).split(", ")));
    }

    /** The tag {@code job} is Prometheus's own, and {@code $limit} the reader's choice. */
    private static boolean isThere(String tag, String values, List<Matcher> samples) {
        Stream<String> wanted =
                Stream.of(values.split("[|]")).map(value -> tag + "=\"" + (value.startsWith("$") ? "" : value + "\""));
        return tag.equals("job")
                || wanted.allMatch(each ->
                        samples.stream().anyMatch(sample -> sample.group(2).contains(each)));
    }

    /** But not that of a breaker's state, which is a code and no quantity. */
    @Test
    void namesTheBaseUnitOfEveryQuantity() {
        everythingHappens();

        assertThat(ids().stream()
                        .collect(Collectors.toMap(
                                Meter.Id::getName, id -> String.valueOf(id.getBaseUnit()), (one, same) -> one)))
                .isEqualTo(Map.ofEntries(
                        Map.entry("weir.shadow.decisions", "decisions"),
                        Map.entry("weir.shadow.missed", "decisions"),
                        Map.entry("weir.guard.shed", "calls"),
                        Map.entry("weir.guard.in.flight", "calls"),
                        Map.entry("weir.decisions", "decisions"),
                        Map.entry("weir.store.call", "seconds"),
                        Map.entry("weir.lease.permits", "permits"),
                        Map.entry("weir.fallback.seconds", "seconds"),
                        Map.entry("weir.headroom", "ratio"),
                        Map.entry("weir.breaker.state", "null"),
                        Map.entry("weir.penalties", "penalties"),
                        Map.entry("weir.penalty.missed", "strikes")));
    }

    @Test
    @Timeout(60)
    void hasTheSameMetersAfterAMillionKeysAsAfterTen() {
        try (Weir weir = over(LocalStore.create(nowNanos::get, 1_000_000 / LIMITS))) {
            for (int i = 0; i < 10; i++) {
                ask(weir, "10.0.0." + i);
            }
            weir.tend();
            Set<Meter.Id> before = ids();

            List<Limiter> limiters = List.copyOf(weir.limiters());
            for (int i = 0; i < 1_010_000; i++) { // the last find no room, so that policies and shares answer
                Limiter limiter = limiters.get(i % LIMITS);
                limiter.tryAcquire("10.0.0." + i);
                limiter.tryAcquire("10.0.0." + i);
                if (i % 1_000 == 0) {
                    weir.tend();
                    String unknown = "/probed/" + i;
                    assertThatIllegalArgumentException().isThrownBy(() -> weir.limiter(unknown));
                }
            }

            assertThat(ids())
                    .isEqualTo(before)
                    .hasSize(LIMITS * (3 * 8 + 2 + 2 + 5 + 1 + 1) + SHADOWS * (3 * 8 + 1 + 2 + 5 + 1 + 1) + 2);
            assertThat(value("weir_decisions_total", "limit=\"limit-DENY\",outcome=\"denied\",source=\"policy\""))
                    .isPositive();
            assertThat(registry.scrape()).doesNotContain("10.0.0").doesNotContain("probed");
        }
    }
}
