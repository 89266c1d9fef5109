package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Rule;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ClusterSizeTest {

    private long now;
    private final ClusterSize size = new ClusterSize(() -> now);

    @Test
    void growsAtOnce() {
        see(1, 2, 3);
        assertThat(size.stable()).isEqualTo(3);
        see(1, 2, 3, 4);
        assertThat(size.stable()).isEqualTo(4);
        assertReachable(4);
    }

    @Test
    void shrinksOnlyAfterTheHold() {
        see(1, 2, 3);
        see(1, 2);
        see(1);
        now += ClusterSize.HOLD.toNanos() - 1;
        assertThat(size.stable()).isEqualTo(3);
        assertReachable(1);
        now += 1;
        assertThat(size.stable()).isEqualTo(1);
    }

    @Test
    void shrinksAtOnceByWhoSaidGoodbye() {
        see(1, 2, 3);
        size.goodbye(id(3));
        assertThat(size.stable()).as("still here").isEqualTo(3);
        see(1, 2);
        assertThat(size.stable()).isEqualTo(2);
        see(1);
        assertThat(size.stable()).isEqualTo(2);
        size.goodbye(id(2)); // heard of late
        assertThat(size.stable()).isEqualTo(1);
    }

    @Test
    void aGoodbyeIsRememberedHoweverLongLeavingTakes() {
        see(1, 2);
        size.goodbye(id(1));
        now += ClusterSize.HOLD.toNanos();
        assertThat(size.stable()).as("still migrating").isEqualTo(2);
        now += ClusterSize.HOLD.toNanos();
        see(2);
        assertThat(size.stable()).isEqualTo(1);
        assertThat(size.isMajority(among(2))).isTrue();
    }

    /** Members come and go for years. */
    @Test
    void aGoodbyeIsForgottenWhenItsMemberIsLongGone() {
        see(1, 2, 3);
        size.goodbye(id(3));
        see(1, 2);
        now += ClusterSize.HOLD.toNanos();
        see(1, 2, 3);
        see(1, 2);
        assertThat(size.stable()).as("back, and lost without a word").isEqualTo(3);
    }

    @Test
    void aFlappingMemberKeepsTheSizeUp() {
        see(1, 2, 3);
        for (int i = 0; i < 1_000; i++) {
            see(1, 2);
            now += ClusterSize.HOLD.toNanos() / 2;
            assertThat(size.stable()).isEqualTo(3);
            see(1, 2, 3);
        }
        see(1, 2);
        now += ClusterSize.HOLD.toNanos();
        assertThat(size.stable()).isEqualTo(2);
    }

    @Test
    void aMemberThatCrashesAndComesBackAsAnotherTakesItsOwnPlace() {
        see(1, 2, 3);
        for (long i = 4; i < 100; i++) {
            see(1, 2);
            see(1, 2, i);
            assertThat(size.stable()).isEqualTo(3);
        }
        see(1, 2);
        see(1, 2, 100, 101);
        assertThat(size.stable()).isEqualTo(4);
    }

    /** Otherwise two newcomers would make the minority of three a majority, with the other majority still going on. */
    @Test
    void whoComesToAMinorityDoesNotCount() {
        see(1, 2, 3);
        see(3);
        see(3, 4);
        see(3, 4, 5, 6);
        assertThat(size.stable()).isEqualTo(3);
        assertReachable(1);
        assertThat(size.isMajority(each -> !List.of(id(1), id(2)).contains(each)))
                .isFalse();

        see(2, 3, 4, 5, 6); // one is back, and with it the majority: newcomers take the place of the other, and more
        assertThat(size.stable()).isEqualTo(5);
        assertReachable(5);
    }

    @Test
    void whoCameToAMinorityCountsAfterTheHold() {
        see(1, 2, 3);
        see(3);
        see(3, 4);
        now += ClusterSize.HOLD.toNanos();
        assertThat(size.stable()).isEqualTo(2);
        assertThat(size.isMajority(each -> true)).isTrue();
    }

    /** Which of two newcomers makes the last of three a majority: only one that proves a lost member dead. */
    @Test
    void whoTakesTheAddressOfALostMemberTakesItsPlaceOnAMinorityToo() {
        see(1, 2, 3);
        see(2);
        see(2, 4);
        assertThat(size.isMajority(among(2, 4))).as("elsewhere").isFalse();
        size.replace(id(3), id(5));
        see(2, 4, 5);
        assertThat(size.isMajority(among(2, 5))).isTrue();
        assertThat(size.isMajority(among(2, 4))).as("in place of 1").isTrue();
        assertThat(size.stable()).isEqualTo(3);
    }

    @Test
    void theOldestThatIsRestartedIsTheYoungest() {
        see(1, 2, 3, 4);
        see(2, 3, 4);
        size.replace(id(1), id(5));
        see(2, 3, 4, 5);
        assertThat(size.stable()).isEqualTo(4);
        assertThat(size.isMajority(among(2, 5))).isTrue();
        assertThat(size.isMajority(among(4, 5))).isFalse();
    }

    @Test
    void whoTakesTheAddressOfOneThatDoesNotCountIsANewcomer() {
        see(1, 2, 3);
        see(3);
        size.replace(id(9), id(4));
        see(3, 4);
        assertThat(size.isMajority(among(3, 4))).isFalse();
        assertThat(size.counts(id(3))).isTrue();
        assertThat(size.counts(id(4))).isFalse();
    }

    @Test
    void moreThanHalfIsAMajority() {
        see(1, 2, 3);
        assertThat(size.isMajority(among(2, 3))).isTrue();
        assertThat(size.isMajority(among(1))).isFalse();
        assertThat(size.isMajority(among())).isFalse();
        assertThat(size.isMajority(among(3, 7, 8))).as("strangers").isFalse();
    }

    @Test
    void ofTwoHalvesTheOneWithTheOldestIsAMajority() {
        see(1, 2, 3, 4);
        assertThat(size.isMajority(among(1, 4))).isTrue();
        assertThat(size.isMajority(among(2, 3))).isFalse();
        see(2, 3);
        assertThat(size.isMajority(among(2, 3)))
                .as("the oldest is lost, not forgotten")
                .isFalse();
    }

    /** A member that starts knows itself first, and who is older only when it has joined. */
    @Test
    void theOldestIsTheClustersAndNotWhoWasSeenFirst() {
        see(3);
        see(1, 2, 3, 4);
        assertThat(size.isMajority(among(1, 2))).isTrue();
        assertThat(size.isMajority(among(3, 4))).isFalse();
    }

    private void assertReachable(int members) {
        Rule strict = new Rule(1, Rules.THOUSAND.algorithm(), true);
        assertThat(size.partOf(strict)).isEqualTo(strict.part(members, size.stable()));
    }

    private void see(long... members) {
        size.see(LongStream.of(members).mapToObj(ClusterSizeTest::id).toList());
    }

    private static Predicate<UUID> among(long... members) {
        List<UUID> some = LongStream.of(members).mapToObj(ClusterSizeTest::id).toList();
        return some::contains;
    }

    private static UUID id(long number) {
        return new UUID(0, number);
    }
}
