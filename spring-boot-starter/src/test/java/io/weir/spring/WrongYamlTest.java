package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.annotation.Bean;

/** Each mistake stops the start with one message: the property, its value, file and line, and what to write instead. */
class WrongYamlTest {

    @TempDir
    private Path folder;

    private YamlApplication application;

    @BeforeEach
    void inItsOwnFolder() {
        application = new YamlApplication(folder);
    }

    @Test
    void capacityIsZero() {
        String failure = application.failureOf("""
                weir:
                  store: local
                  limits:
                    per-client:
                      failure-policy: deny
                      capacity: 0
                      refill: 50/s
                """);

        assertThat(failure)
                .startsWith("weir.limits.per-client.capacity is \"0\" (")
                .contains("application.yaml] - 6:17): capacity of bandwidth \"default\" must be 1 to 2^62 but is 0.")
                .contains("as in capacity: 100");
    }

    @Test
    void capacityIsText() {
        assertThat(failureOfLimit("failure-policy: deny", "capacity: lots", "refill: 50/s"))
                .startsWith("weir.limits.per-client.capacity is \"lots\" (")
                .contains("application.yaml] - 6:17): this cannot be read.")
                .contains("a whole number of 1 or more");
    }

    @Test
    void capacityIsMissing() {
        assertThat(failureOfLimit("failure-policy: deny", "refill: 50/s"))
                .startsWith("weir.limits.per-client.capacity (")
                .contains("application.yaml] - 5:23): this is missing.");
    }

    @Test
    void refillHasNoTime() {
        assertThat(failureOfLimit("failure-policy: deny", "capacity: 100", "refill: 50"))
                .startsWith("weir.limits.per-client.refill is \"50\" (")
                .contains("application.yaml] - 7:15): this cannot be read")
                .contains("refill: 50/s, 1000/day");
    }

    @Test
    void refillIsAFraction() {
        assertThat(failureOfLimit("failure-policy: deny", "capacity: 100", "refill: 0.5/s"))
                .startsWith("weir.limits.per-client.refill is \"0.5/s\" (")
                .contains("a refill is whole permits, a slash, and a unit or a time");
    }

    @Test
    void refillHasAnUnknownUnit() {
        assertThat(failureOfLimit("failure-policy: deny", "capacity: 100", "refill: 50/fortnight"))
                .contains("\"fortnight\" is no unit: it is one of ns, us, ms, s, m, h, d");
    }

    @Test
    void refillIsZero() {
        assertThat(failureOfLimit("failure-policy: deny", "capacity: 100", "refill: 0/s"))
                .startsWith("weir.limits.per-client.refill is \"0/s\" (")
                .contains("application.yaml] - 7:15): refill of bandwidth \"default\" must be 1 to 2^62 but is 0.");
    }

    @Test
    void refillTakesNoTime() {
        assertThat(failureOfLimit("failure-policy: deny", "capacity: 100", "refill: 5/0s"))
                .startsWith("weir.limits.per-client.refill is \"5/0s\" (")
                .contains("must be positive but is PT0S");
    }

    @Test
    void refillIsTooLarge() {
        assertThat(failureOfLimit("failure-policy: deny", "capacity: 100", "refill: 9999999999999999999/s"))
                .contains("the number is too large");
    }

    @Test
    void algorithmIsUnknown() {
        assertThat(failureOfLimit("failure-policy: deny", "algorithm: gcra", "refill: 50/s"))
                .startsWith("weir.limits.per-client.algorithm is \"gcra\" (")
                .contains("application.yaml] - 6:18)")
                .contains("sliding-log (exactly, up to 1000)");
    }

    @Test
    void capacityIsNotWhatCountsPerWindow() {
        assertThat(failureOfLimit("failure-policy: deny", "algorithm: sliding-window", "capacity: 10", "refill: 50/s"))
                .startsWith("weir.limits.per-client.capacity is \"10\" (")
                .contains("with algorithm sliding-window this has to be the permits of refill, which are 50.")
                .contains("Remove capacity");
    }

    @Test
    void refillIsTooMuchForALog() {
        assertThat(failureOfLimit("failure-policy: deny", "algorithm: sliding-log", "refill: 5000/m"))
                .startsWith("weir.limits.per-client.refill is \"5000/m\" (")
                .contains("has at most 1000: choose SLIDING_WINDOW");
    }

    @Test
    void carryOverIsUnknown() {
        assertThat(failureOfLimit("failure-policy: deny", "carry-over: keep", "capacity: 100", "refill: 50/s"))
                .startsWith("weir.limits.per-client.carry-over is \"keep\" (")
                .contains("as-is (the same permits)");
    }

    @Test
    void carryOverDoesNotGoTogetherWithStrictPartitions() {
        assertThat(failureOfLimit(
                        "failure-policy: deny",
                        "carry-over: reset",
                        "strict-partitions: true",
                        "capacity: 100",
                        "refill: 50/s"))
                .startsWith("weir.limits.per-client.carry-over is \"reset\" (")
                .contains("carryOver RESET does not go together with strictPartitions");
    }

    @Test
    void failurePolicyIsMissing() {
        assertThat(failureOfLimit("capacity: 100", "refill: 50/s"))
                .startsWith("weir.limits.per-client.failure-policy (")
                .contains("application.yaml] - 5:17): this is missing.")
                .contains("Write deny, which turns everybody away")
                .contains("There is no default");
    }

    @Test
    void failurePolicyIsUnknown() {
        assertThat(failureOfLimit("failure-policy: open", "capacity: 100", "refill: 50/s"))
                .startsWith("weir.limits.per-client.failure-policy is \"open\" (")
                .contains("application.yaml] - 5:23)")
                .contains("grant, which lets everybody through");
    }

    @Test
    void deadlineIsZero() {
        assertThat(failureOfLimit("failure-policy: deny", "capacity: 100", "refill: 50/s", "deadline: 0ms"))
                .startsWith("weir.limits.per-client.deadline is \"0ms\" (")
                .contains("application.yaml] - 8:17): deadline of limit \"per-client\" must be more than zero")
                .contains("as in deadline: 50ms");
    }

    @Test
    void deadlineIsNoTime() {
        assertThat(failureOfLimit("failure-policy: deny", "capacity: 100", "refill: 50/s", "deadline: soon"))
                .startsWith("weir.limits.per-client.deadline is \"soon\" (");
    }

    @Test
    void versionIsZero() {
        assertThat(failureOfLimit("failure-policy: deny", "capacity: 100", "refill: 50/s", "version: 0"))
                .startsWith("weir.limits.per-client.version is \"0\" (")
                .contains("raise it with every change");
    }

    @Test
    void penaltyHasAWrongNumber() {
        assertThat(failureOfPenalty("strikes: 0"))
                .startsWith("weir.limits.per-client.penalty.strikes is \"0\" (")
                .contains("strikes of a penalty must be 1 to 1000 but are 0.")
                .contains("as in strikes: 3");
        assertThat(failureOfPenalty("per: 0s")).startsWith("weir.limits.per-client.penalty.per is \"0s\" (");
        assertThat(failureOfPenalty("first: 0s")).startsWith("weir.limits.per-client.penalty.first is \"0s\" (");
        assertThat(failureOfPenalty("first: 2h"))
                .as("above the longest, which is not set")
                .startsWith("weir.limits.per-client.penalty.longest")
                .contains("longest of a penalty must be PT2H to PT8760H but is PT1H.");
        assertThat(failureOfPenalty("longest: 10s")).startsWith("weir.limits.per-client.penalty.longest is \"10s\" (");
        assertThat(failureOfPenalty("forgiven-after: -1s"))
                .startsWith("weir.limits.per-client.penalty.forgiven-after is \"-1s\" (")
                .contains("as in forgiven-after: 1d");
        assertThat(failureOfPenalty("forgiven: 1d"))
                .startsWith("weir.limits.per-client.penalty.forgiven is \"1d\" (")
                .contains("there are [strikes, per, first, longest, forgiven-after].");
        assertThat(failureOfLimit(
                        "failure-policy: deny",
                        "capacity: 100",
                        "refill: 50/s",
                        "penalty: {strikes: 3}",
                        "shadow: true"))
                .startsWith("weir.limits.per-client.shadow is \"true\" (")
                .contains("denies nothing, and cannot punish");
    }

    private String failureOfPenalty(String setting) {
        return failureOfLimit("failure-policy: deny", "capacity: 100", "refill: 50/s", "penalty: {" + setting + "}");
    }

    @Test
    void exactIsNeitherTrueNorFalse() {
        assertThat(failureOfLimit("failure-policy: deny", "capacity: 100", "refill: 50/s", "exact: mostly"))
                .startsWith("weir.limits.per-client.exact is \"mostly\" (")
                .contains("Write true or false.");
    }

    @Test
    void nameOfASettingIsMisspelt() {
        assertThat(failureOfLimit("failure-policy: deny", "capcity: 100", "refill: 50/s"))
                .startsWith("weir.limits.per-client.capcity is \"100\" (")
                .contains("application.yaml] - 6:16): there is no such property.")
                .contains(
                        "Beneath weir.limits.per-client there are [failure-policy, algorithm, capacity, refill, bandwidths, overrides, deadline, exact, strict-partitions, shadow, shadow-of, debt, penalty, carry-over, version]");
    }

    @Test
    void nameBeneathWeirIsMisspelt() {
        assertThat(application.failureOf("weir:\n  store: local\n  limts:\n    a:\n      capacity: 1\n"))
                .startsWith("weir.limts.a.capacity is \"1\" (")
                .contains("application.yaml] - 5:17): there is no such property.")
                .contains("Beneath weir there are [enabled, namespace, store");
    }

    @Test
    void nameInABandwidthIsMisspelt() {
        assertThat(failureOfLimit("failure-policy: deny", "bandwidths: [{capacity: 10, refil: 10/s}]"))
                .startsWith("weir.limits.per-client.bandwidths[0].refil is \"10/s\" (")
                .contains("Beneath weir.limits.per-client.bandwidths[0] there are [name, capacity, refill].");
    }

    @Test
    void limitHasBandwidthsAndACapacity() {
        assertThat(failureOfLimit(
                        "failure-policy: deny", "capacity: 100", "bandwidths: [{capacity: 10, refill: 10/s}]"))
                .startsWith("weir.limits.per-client.capacity is \"100\" (")
                .contains("there are bandwidths beside it, each with a capacity and a refill of its own");
    }

    @Test
    void bandwidthsAreAnEmptyList() {
        assertThat(failureOfLimit("failure-policy: deny", "bandwidths: []"))
                .startsWith("weir.limits.per-client.bandwidths")
                .contains("has no bandwidth");
    }

    @Test
    void twoBandwidthsHaveOneName() {
        assertThat(failureOfLimit(
                        "failure-policy: deny",
                        "bandwidths: [{name: a, capacity: 1, refill: 1/s}, {name: a, capacity: 2, refill: 2/h}]"))
                .startsWith("weir.limits.per-client.bandwidths (")
                .contains("application.yaml] - 6:");
    }

    @Test
    void aBandwidthHasNoName() {
        assertThat(failureOfLimit("failure-policy: deny", "bandwidths: [{name: 'a b', capacity: 1, refill: 1/s}]"))
                .startsWith("weir.limits.per-client.bandwidths[0].name is \"a b\" (")
                .contains("1 to 64 of A-Z a-z 0-9 . _ -");
    }

    @Test
    void anOverrideHasAWrongNumber() {
        assertThat(failureOfOverrides("tenant-42: {capacity: 0, refill: 1/s}"))
                .startsWith("weir.limits.per-client.overrides.tenant-42.capacity is \"0\" (")
                .contains("application.yaml] - 9:")
                .contains("capacity of bandwidth \"default\" must be 1 to 2^62 but is 0.")
                .contains("as in capacity: 100");
        assertThat(failureOfOverrides("\"[2001:db8::1]\": {capacity: 1, refill: 1/fortnight}"))
                .startsWith("weir.limits.per-client.overrides[2001:db8::1].refill is \"1/fortnight\" (")
                .contains("\"fortnight\" is no unit");
        assertThat(failureOfOverrides("\"[2001:db8::1]\": {capacity: 1, refill: 0/s}"))
                .startsWith("weir.limits.per-client.overrides[2001:db8::1].refill is \"0/s\" (")
                .contains("refill of bandwidth \"default\" must be 1 to 2^62 but is 0.");
        assertThat(failureOfOverrides("tenant-42: {refill: 1/s}"))
                .startsWith("weir.limits.per-client.overrides.tenant-42.capacity (")
                .contains("this is missing.");
        assertThat(failureOfOverrides(
                        "tenant-42: {bandwidths: [{capacity: 1, refill: 1/s}, {capacity: 2, refill: 2/s}]}"))
                .startsWith("weir.limits.per-client.overrides.tenant-42.bandwidths (");
        assertThat(failureOfOverrides("tenant-42: {capacity: 1, bandwidths: [{capacity: 1, refill: 1/s}]}"))
                .startsWith("weir.limits.per-client.overrides.tenant-42.capacity is \"1\" (")
                .contains("there are bandwidths beside it");
        assertThat(failureOfOverrides("tenant-42: 100"))
                .startsWith("weir.limits.per-client.overrides.tenant-42 is \"100\" (")
                .contains("beneath that its capacity and refill, or bandwidths");
    }

    @Test
    void anOverrideIsOfAKeyThatIsNotWhatIsWritten() {
        assertThat(failureOfOverrides("tenant_42: {capacity: 1, refill: 1/s}"))
                .startsWith("weir.limits.per-client.overrides.tenant_42.")
                .contains("application.yaml] - 9:")
                .contains("would read the key as \"tenant42\"")
                .contains("in brackets and quotes, as in \"[tenant_42]\":");
        assertThat(failureOfOverrides("2001:db8::1: {capacity: 1, refill: 1/s}"))
                .contains("would read the key as \"2001db81\"")
                .contains("\"[2001:db8::1]\":");
        assertThat(failureOfOverrides("10.0.0.7: {capacity: 1, refill: 1/s}"))
                .startsWith("weir.limits.per-client.overrides.10.0.0.7.")
                .contains("there is no such property.")
                .contains("If the key has a dot, write it in brackets and quotes, as in \"[10.0.0.7]\":");
        assertThat(failureOfOverrides("bob: {capacity: 1, refill: 1/s}", "Bob: {capacity: 2, refill: 1/s}"))
                .contains("Spring Boot takes the keys \"bob\" and \"Bob\" for the same.");
    }

    /** Spring Boot takes {@code [a12]} for {@code a1-2}, and reads one of {@code [BOB]} and {@code BOB}. */
    @Test
    void aNameInBracketsWouldBeThatOfAPlainOne() {
        for (String[] keys : new String[][] {{"a1-2", "a12"}, {"Bob", "bob"}}) {
            String plain = keys[0] + ": {capacity: 1, refill: 1/s}";
            String bracketed = "\"[" + keys[1] + "]\": {capacity: 2, refill: 1/s}";
            String said = "the keys \"" + keys[0] + "\" and \"[" + keys[1] + "]\" for the same.";
            assertThat(failureOfOverrides(plain, bracketed))
                    .startsWith("weir.limits.per-client.overrides[" + keys[1] + "].")
                    .contains(said);
            assertThat(failureOfOverrides(bracketed, plain)).contains(said);
        }
        assertThat(failureOfOverrides("BOB: {capacity: 1, refill: 1/s}", "\"[BOB]\": {capacity: 2, refill: 1/s}"))
                .startsWith("weir.limits.per-client.overrides[BOB].capacity is \"2\" (");
        assertThat(application.failureOf("""
                        weir:
                          store: local
                          limits:
                            Mail: {failure-policy: deny, capacity: 1, refill: 1/s}
                            "[mail]": {failure-policy: deny, capacity: 9, refill: 1/s}
                        """)).contains("the names of the limits \"Mail\" and \"[mail]\" for the same");
    }

    @Test
    void aLimitWithOverridesHasTooHighAVersion() {
        assertThat(failureOfLimit(
                        "failure-policy: deny",
                        "capacity: 1",
                        "refill: 1/s",
                        "overrides: {bob: {capacity: 2, refill: 1/s}}",
                        "version: 17592186044416"))
                .startsWith("weir.limits.per-client.version is \"17592186044416\" (")
                .contains("limit \"per-client\" has version 17592186044416, but")
                .contains("up to 17592186044415: ");
    }

    @Test
    void anOverrideIsTooMuchForALog() {
        assertThat(failureOfLimit(
                        "failure-policy: deny",
                        "algorithm: sliding-log",
                        "refill: 10/m",
                        "overrides: {bob: {refill: 5000/m}}"))
                .startsWith("weir.limits.per-client.overrides.bob.refill is \"5000/m\" (")
                .contains("has at most 1000");
    }

    private String failureOfOverrides(String... keys) {
        String[] lines = new String[keys.length + 4];
        List.of("failure-policy: deny", "capacity: 100", "refill: 50/s", "overrides:")
                .toArray(lines);
        for (int i = 0; i < keys.length; i++) {
            lines[i + 4] = "  " + keys[i];
        }
        return failureOfLimit(lines);
    }

    @Test
    void nameOfALimitWouldLoseItsUnderscore() {
        assertThat(application.failureOf("""
                        weir:
                          store: local
                          limits:
                            per_client: {failure-policy: deny, capacity: 1, refill: 1/s}
                        """))
                .startsWith("weir.limits.per_client.")
                .contains("application.yaml] - 4:")
                .contains("would read the limit's name as \"perclient\"")
                .contains("\"[per_client]\":");
    }

    @Test
    void twoLimitsWouldBeOne() {
        assertThat(application.failureOf("""
                        weir:
                          store: local
                          limits:
                            per-client: {failure-policy: deny, capacity: 1, refill: 1/s}
                            perClient: {failure-policy: deny, capacity: 9, refill: 1/s}
                        """))
                .contains("takes the names of the limits \"per-client\" and \"perClient\" for the same");
    }

    @Test
    void twoLimitsWouldBeOneAlsoIfWrittenInTwoPlaces() {
        System.setProperty("weir.limits.perClient.capacity", "9");
        try {
            assertThat(application.failureOf("weir:\n  store: local\n" + LIMITS))
                    .contains("takes the names of the limits \"perClient\" and \"per-client\" for the same");
        } finally {
            System.clearProperty("weir.limits.perClient.capacity");
        }
    }

    @Test
    void stopsALazyApplicationToo() {
        assertThat(application.failureOf("""
                        spring.main.lazy-initialization: true
                        weir:
                          store: local
                          limits:
                            per-client: {failure-policy: deny, capacity: 0, refill: 1/s}
                        """)).startsWith("weir.limits.per-client.capacity is \"0\" (");
    }

    @Test
    void nameOfALimitHasADot() {
        assertThat(application.failureOf("""
                        weir:
                          store: local
                          limits:
                            api.v1: {failure-policy: deny, capacity: 1, refill: 1/s}
                        """))
                .startsWith("weir.limits.api.v1.")
                .contains("write it in brackets and quotes, as in \"[api.v1]\":");
    }

    @Test
    void nameOfALimitIsNone() {
        assertThat(application.failureOf("""
                        weir:
                          store: local
                          limits:
                            "[per client]": {failure-policy: deny, capacity: 1, refill: 1/s}
                        """))
                .startsWith("weir.limits[per client] (")
                .contains("application.yaml] - 4:")
                .contains("limit name must be 1 to 64 of A-Z a-z 0-9 . _ - but is \"per client\"")
                .contains("Choose another name for the limit.");
    }

    @Test
    void aLimitIsANumber() {
        assertThat(application.failureOf("weir:\n  store: local\n  limits:\n    per-client: 100\n"))
                .startsWith("weir.limits.per-client is \"100\" (")
                .contains("application.yaml] - 4:17)")
                .contains("Write each limit beneath weir.limits by its name");
    }

    @Test
    void limitsAreAList() {
        assertThat(
                        application.failureOf(
                                "weir:\n  store: local\n  limits:\n  - {name: a, failure-policy: deny, capacity: 1, refill: 1/s}\n"))
                .startsWith("weir.limits[0].name is \"a\" (")
                .contains("there is no such property");
    }

    @Test
    void storeIsUnknown() {
        assertThat(application.failureOf("weir:\n  store: redis\n" + LIMITS))
                .startsWith("weir.store is \"redis\" (")
                .contains("application.yaml] - 2:10)")
                .contains("Write hazelcast, so that all nodes enforce a limit together, or local");
    }

    @Test
    void enabledIsNeitherTrueNorFalse() {
        assertThat(application.failureOf("weir:\n  enabled: flase\n  store: local\n" + LIMITS))
                .startsWith("weir.enabled is \"flase\" (")
                .contains("application.yaml] - 2:12)");
    }

    @Test
    void nodesAreNone() {
        assertThat(application.failureOf("weir:\n  store: local\n  nodes: 0\n" + LIMITS))
                .startsWith("weir.nodes is \"0\" (")
                .contains("application.yaml] - 3:10): nodes must be at least 1 but is 0.")
                .contains("the number of members and clients that limit");
    }

    @Test
    void hazelcastIsMissing() {
        assertThat(application.failureOf("weir:\n  namespace: shop\n" + LIMITS))
                .startsWith("Limits are kept in Hazelcast, and there is no bean of type HazelcastInstance.")
                .contains("Add hazelcast.yaml")
                .contains("set weir.store to local: each node then enforces the limits by itself");
    }

    @Test
    void namespaceIsMissing() {
        assertThat(application.failureOf("weir:\n" + LIMITS))
                .startsWith("weir.namespace: this is missing, and so is spring.application.name")
                .contains("Set weir.namespace to a name that is the same on every node");
    }

    @Test
    void namespaceIsNone() {
        assertThat(application.failureOf("weir:\n  namespace: my shop\n" + LIMITS))
                .startsWith("weir.namespace is \"my shop\" (")
                .contains(
                        "application.yaml] - 2:14): namespace must be 1 to 64 of A-Z a-z 0-9 . _ - but is \"my shop\"");
    }

    @Test
    void nameOfTheApplicationIsNoNamespace() {
        assertThat(application.failureOf("spring.application.name: My Shop\nweir:\n" + LIMITS))
                .startsWith("spring.application.name is \"My Shop\" (")
                .contains("application.yaml] - 1:26)")
                .contains("it stands in for weir.namespace")
                .contains("Set weir.namespace");
    }

    @Test
    void hazelcastInstanceIsNoBean() {
        assertThat(application.failureOf("weir:\n  namespace: shop\n  hazelcast-instance: cache\n" + LIMITS))
                .startsWith("weir.hazelcast-instance is \"cache\" (")
                .contains("application.yaml] - 3:23): there is no such bean of type HazelcastInstance, only [].");
    }

    @Test
    void aBeanIsAnotherLimitOfTheSameName() {
        assertThat(application.failureOf("weir:\n  store: local\n" + LIMITS, AnotherPerClient.class))
                .startsWith("weir.limits.per-client (")
                .contains("application.yaml] - 4:")
                .contains("limit \"per-client\" is given twice and differs")
                .contains("Remove one of the two");
    }

    static class AnotherPerClient {
        @Bean
        Limit perClient() {
            return Limit.named("per-client", FailurePolicy.GRANT)
                    .bandwidth(Bandwidth.of(7, 7, Duration.ofSeconds(7)))
                    .build();
        }
    }

    private static final String LIMITS =
            "  limits:\n    per-client: {failure-policy: deny, capacity: 1, refill: 1/s}\n";

    private String failureOfLimit(String... lines) {
        return application.failureOf(
                "weir:\n  store: local\n  limits:\n    per-client:\n      " + String.join("\n      ", lines) + "\n");
    }
}
