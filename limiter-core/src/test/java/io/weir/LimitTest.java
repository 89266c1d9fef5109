package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.weir.algorithm.Algorithm.Kind;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.CarryOver;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import io.weir.store.Directives;
import io.weir.store.Leasing;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LimitTest {

    private static final Bandwidth BANDWIDTH = Bandwidth.of(10, 1, Duration.ofSeconds(1));

    private static Limit.Builder limit() {
        return Limit.named("api", FailurePolicy.DENY).bandwidth(BANDWIDTH);
    }

    @Test
    void saysWhatItWasBuiltWith() {
        Bandwidth daily = Bandwidth.of(100, 100, Duration.ofDays(1)).named("daily");

        Limit limit = limit().bandwidth(daily)
                .deadline(Duration.ofMillis(7))
                .version(3)
                .build();

        assertThat(limit.name()).isEqualTo("api");
        assertThat(limit.failurePolicy()).isEqualTo(FailurePolicy.DENY);
        assertThat(limit.bandwidths()).containsExactly(BANDWIDTH, daily);
        assertThat(limit.deadline()).isEqualTo(Duration.ofMillis(7));
        assertThat(limit.deadlineNanos()).isEqualTo(7_000_000);
        assertThat(limit.rule().version()).isEqualTo(3);
    }

    @Test
    void isOfVersionOneAndAnswersWithin50MillisecondsUnlessItSaysOtherwise() {
        assertThat(limit().build().rule().version()).isEqualTo(1);
        assertThat(limit().build().deadline()).isEqualTo(Duration.ofMillis(50));
    }

    @Test
    void isATokenBucketThatCarriesOverInProportionUnlessItSaysOtherwise() {
        Rule rule = limit().build().rule();
        assertThat(rule.algorithm()).isEqualTo(new TokenBucket(List.of(BANDWIDTH)));
        assertThat(rule.carryOver()).isEqualTo(CarryOver.PROPORTION);
        assertThat(limit().carryOver(CarryOver.AS_IS).build().rule().carryOver())
                .isEqualTo(CarryOver.AS_IS);
    }

    /** Only token buckets lend. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void isExactByItselfUnlessItIsATokenBucket(Kind kind) {
        Limit limit = Limit.named("api", FailurePolicy.DENY)
                .algorithm(kind)
                .bandwidth(Bandwidth.perWindow(10, Duration.ofSeconds(1)))
                .build();
        assertThat(limit.rule().algorithm().kind()).isEqualTo(kind);
        assertThat(limit.isExact()).isEqualTo(kind != Kind.TOKEN_BUCKET);
        assertThat(limit.leasing()).isEqualTo(kind == Kind.TOKEN_BUCKET ? Leasing.AUTOMATIC : Leasing.NEVER);
    }

    @Test
    void refusesNumbersThatItsAlgorithmCannotCountBy() {
        Limit.Builder twoNumbers = limit().algorithm(Kind.SLIDING_WINDOW);
        assertThatIllegalArgumentException()
                .isThrownBy(twoNumbers::build)
                .withMessageContaining("capacity 10 and refill 1")
                .withMessageContaining("Bandwidth.perWindow(10, window)");
        Limit.Builder tooMany = Limit.named("api", FailurePolicy.DENY)
                .algorithm(Kind.SLIDING_LOG)
                .bandwidth(Bandwidth.perWindow(1_001, Duration.ofSeconds(1)));
        assertThatIllegalArgumentException()
                .isThrownBy(tooMany::build)
                .withMessageContaining("1001")
                .withMessageContaining("choose SLIDING_WINDOW");
        Limit.Builder strict = limit().strictPartitions().carryOver(CarryOver.RESET);
        assertThatIllegalArgumentException().isThrownBy(strict::build).withMessageContaining("RESET");
    }

    @Test
    void isEqualIfAllItSaysIs() {
        assertThat(limit().build()).isEqualTo(limit().build()).hasSameHashCodeAs(limit().build());
        assertThat(limit().build())
                .isNotEqualTo(Limit.named("other", FailurePolicy.DENY)
                        .bandwidth(BANDWIDTH)
                        .build())
                .isNotEqualTo(Limit.named("api", FailurePolicy.GRANT)
                        .bandwidth(BANDWIDTH)
                        .build())
                .isNotEqualTo(limit().version(2).build())
                .isNotEqualTo(limit().deadline(Duration.ofMillis(51)).build())
                .isNotEqualTo(limit().bandwidth(BANDWIDTH.named("second")).build())
                .isNotEqualTo(limit().override("bob", BANDWIDTH).build());
        assertThat(limit().override("bob", BANDWIDTH).override("eve", BANDWIDTH).build())
                .isEqualTo(limit().override("eve", BANDWIDTH)
                        .override("bob", BANDWIDTH)
                        .build())
                .hasSameHashCodeAs(limit().override("eve", BANDWIDTH)
                        .override("bob", BANDWIDTH)
                        .build())
                .isNotEqualTo(limit().override("bob", BANDWIDTH).build())
                .isNotEqualTo(limit().override("bob", BANDWIDTH)
                        .override("eve", Bandwidth.of(11, 1, Duration.ofSeconds(1)))
                        .build());
    }

    @Test
    void givesSingleKeysNumbersOfTheirOwn() {
        String longer = "x".repeat(10_000);
        Bandwidth daily = Bandwidth.of(100, 100, Duration.ofDays(1)).named("daily");

        Limit limit = limit().override("bob", BANDWIDTH, daily)
                .override(longer, daily)
                .override("\ud800", daily)
                .override("", daily)
                .build();

        assertThat(limit.overrideOf("bob")).contains(List.of(BANDWIDTH, daily));
        assertThat(limit.overrideOf(longer)).contains(List.of(daily));
        assertThat(limit.overrideOf("\ud800")).contains(List.of(daily));
        assertThat(limit.overrideOf("")).contains(List.of(daily));
        assertThat(limit.overrideOf("eve")).isEmpty();
        assertThat(limit.overrideOf("\ud801")).isEmpty();
        assertThat(limit.bandwidths()).containsExactly(BANDWIDTH);
        assertThat(limit.withBandwidths(2, List.of(daily)).overrideOf("bob")).contains(List.of(BANDWIDTH, daily));
    }

    @Test
    void saysHowManyKeysHaveNumbersOfTheirOwnAndNotWhich() {
        Limit.Builder builder = limit();
        for (int i = 0; i < 1_000; i++) {
            builder.override("secret-" + i, BANDWIDTH);
        }
        assertThat(builder.build().toString())
                .contains("overrides: 1000")
                .doesNotContain("secret")
                .hasSizeLessThan(400);
        assertThat(limit().build().toString()).doesNotContain("override");
    }

    @Test
    void refusesOverridesThatAreNone() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limit().override("b\nb", BANDWIDTH).override("b\nb", BANDWIDTH))
                .withMessage("override of key \"b\\u000ab\" under limit \"api\" is given twice: keep one of the two");
        Limit.Builder empty = limit().override("bob");
        assertThatIllegalArgumentException()
                .isThrownBy(empty::build)
                .withMessageStartingWith("override of key \"bob\" under limit \"api\": ");
        Limit.Builder log = Limit.named("api", FailurePolicy.DENY)
                .bandwidth(Bandwidth.perWindow(10, Duration.ofSeconds(1)))
                .override("bob", Bandwidth.perWindow(1_001, Duration.ofSeconds(1)))
                .algorithm(Kind.SLIDING_LOG);
        assertThatIllegalArgumentException()
                .isThrownBy(log::build)
                .withMessageStartingWith("override of key \"bob\" under limit \"api\": ")
                .withMessageContaining("1001");
        Limit.Builder late = limit().override("bob", BANDWIDTH).version(1L << 44);
        assertThatIllegalArgumentException()
                .isThrownBy(late::build)
                .withMessage(
                        "limit \"api\" has version 17592186044416, but single keys can have numbers of their own only under"
                                + " versions up to 17592186044415: number its versions by dates, as 20261201, or by milliseconds since 1970,"
                                + " and rename it if it is in use, since buckets go by the highest version that they have seen");
        Limit latest =
                limit().override("bob", BANDWIDTH).version((1L << 44) - 1).build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> latest.withBandwidths(1L << 44, List.of(BANDWIDTH)))
                .withMessageContaining("limit \"api\" has version 17592186044416");
    }

    @Test
    void refusesMoreOverridesThanALimitCanHave() {
        Limit.Builder builder = limit();
        for (int i = 0; i < Directives.MOST; i++) {
            builder.override("key-" + i, BANDWIDTH);
        }
        assertThat(builder.build().overrideOf("key-9999")).isPresent();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.override("one-more", BANDWIDTH))
                .withMessage(
                        "override of key \"one-more\" under limit \"api\" is one more than the 10000 that a limit can have");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "per client", "a/b", "a\"b", "\u00fcber", "user\nname"})
    void refusesANameOfOtherCharacters(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Limit.named(name, FailurePolicy.DENY))
                .withMessageEndingWith("is \"" + name.replaceAll("[^ -~]", "?") + "\"");
    }

    @Test
    void refusesAnEndlessNameWithoutRepeatingAllOfIt() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Limit.named("n".repeat(1_000_000), FailurePolicy.DENY))
                .withMessageEndingWith("\"" + "n".repeat(64) + "\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT1H0.000000001S", "PT2562047788015215H"})
    void refusesADeadlineOutOfRange(Duration deadline) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limit().deadline(deadline))
                .withMessageContaining("limit \"api\"")
                .withMessageEndingWith("is " + deadline);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.000000001S", "PT1H"})
    void acceptsTheShortestAndTheLongestDeadline(Duration deadline) {
        assertThat(limit().deadline(deadline).build().deadline()).isEqualTo(deadline);
    }

    @Test
    @SuppressWarnings("NullAway") // what callers without a null checker can do
    void namesWhatIsMissing() {
        assertThatNullPointerException()
                .isThrownBy(() -> Limit.named(null, FailurePolicy.DENY))
                .withMessageContaining("name");
        assertThatNullPointerException()
                .isThrownBy(() -> Limit.named("api", null))
                .withMessageContaining("\"api\"")
                .withMessageContaining("failurePolicy");
        assertThatNullPointerException()
                .isThrownBy(() -> limit().deadline(null))
                .withMessageContaining("deadline");
        assertThatNullPointerException()
                .isThrownBy(() -> limit().bandwidth(null))
                .withMessageContaining("bandwidth");
    }

    @Test
    void isStrictInPartitionsIfItIsTold() {
        Limit strict = limit().strictPartitions().build();
        assertThat(limit().build().isStrictPartitions()).isFalse();
        assertThat(strict.isStrictPartitions()).isTrue();
        assertThat(strict.rule().strictPartitions()).as("it travels").isTrue();
        assertThat(strict).isNotEqualTo(limit().build());
        assertThat(strict.toString()).endsWith(", strict partitions]");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void refusesAVersionBelowOneAtOnce(long version) {
        Limit.Builder builder = limit();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.version(version))
                .withMessageContaining("limit \"api\"")
                .withMessageEndingWith("is " + version);
    }

    @Test
    void refusesNoBandwidth() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Limit.named("api", FailurePolicy.DENY).build())
                .withMessageContaining("\"api\" has no bandwidth");
    }

    @Test
    void refusesTwoBandwidthsOfOneName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limit().bandwidth(BANDWIDTH).build())
                .withMessageContaining("\"default\"");
    }

    @Test
    void refusesMoreThanEightBandwidths() {
        Limit.Builder builder = limit();
        for (int i = 0; i < 8; i++) {
            builder.bandwidth(BANDWIDTH.named("b" + i));
        }

        assertThatIllegalArgumentException().isThrownBy(builder::build).withMessageEndingWith("given 9");
    }

    @ParameterizedTest
    @EnumSource
    void keepsAllButTheNumbersWithOtherBandwidths(Kind kind) {
        Bandwidth before = Bandwidth.perWindow(10, Duration.ofSeconds(1));
        Bandwidth after = Bandwidth.perWindow(20, Duration.ofSeconds(1));
        for (boolean exact : new boolean[] {true, false}) {
            for (CarryOver carryOver : CarryOver.values()) {
                Limit was = like(kind, exact, carryOver)
                        .version(1)
                        .bandwidth(before)
                        .build();
                Limit expected =
                        like(kind, exact, carryOver).version(7).bandwidth(after).build();
                assertThat(was.withBandwidths(7, List.of(after))).isEqualTo(expected);
            }
        }
        Limit strict = Limit.named("api", FailurePolicy.GRANT)
                .bandwidth(before)
                .algorithm(kind)
                .strictPartitions()
                .build();
        assertThat(strict.withBandwidths(2, List.of(after)).isStrictPartitions())
                .isTrue();
        assertThatIllegalArgumentException().isThrownBy(() -> strict.withBandwidths(0, List.of(after)));
    }

    private static Limit.Builder like(Kind kind, boolean exact, CarryOver carryOver) {
        Limit.Builder limit = Limit.named("api", FailurePolicy.GRANT)
                .algorithm(kind)
                .deadline(Duration.ofMillis(7))
                .debt(kind == Kind.TOKEN_BUCKET ? 30 : 0)
                .shadowOf("old")
                .carryOver(carryOver);
        return exact ? limit.exact() : limit;
    }
}
