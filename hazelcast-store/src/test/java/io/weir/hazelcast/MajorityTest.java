package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.cluster.Member;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MajorityTest {

    private static final Duration TOLERANCE = Duration.ofSeconds(3);

    private long now;
    private final Membership membership = new Membership(() -> now, Membership.PATIENCE);
    private final Majority majority = new Majority(() -> now);
    private final List<Member> members = new ArrayList<>(List.of(member(0, true), member(1, false), member(2, false)));

    @BeforeEach
    void watch() {
        majority.watch(membership, TOLERANCE);
        see();
    }

    @Test
    void isKeptWhileMoreThanHalfAreHeardOf() {
        assertThat(majority.apply(members)).isTrue();
        for (int i = 0; i < 100; i++) {
            now += Duration.ofSeconds(1).toNanos();
            majority.onHeartbeat(members.get(1), 0);
            assertThat(majority.apply(members)).isTrue();
        }
    }

    @Test
    void isLostWhenTheOthersAreSilentAndNotOnlyWhenTheyAreRemoved() {
        majority.apply(members);
        now += TOLERANCE.toNanos();
        assertThat(majority.apply(members)).isTrue();
        now += 1;
        assertThat(majority.apply(members)).isFalse();
        majority.onHeartbeat(members.get(2), 0);
        assertThat(majority.apply(members)).as("one is back").isTrue();
    }

    @Test
    void whoHasJustComeWasHeardOf() {
        majority.apply(members);
        for (int i = 3; i < 9; i++) {
            members.add(member(i, false));
        }
        see();
        assertThat(majority.apply(members)).isTrue();
    }

    @Test
    void whoComesBackIsHeardOfAnew() {
        majority.apply(members);
        Member lost = members.remove(2);
        see();
        majority.apply(members);
        now += TOLERANCE.toNanos() + 1;
        members.add(lost);
        see();
        assertThat(majority.apply(members)).isTrue();
    }

    /** Two heartbeats and a second: with the interval that we recommend the 3 s that Hazelcast's own function has. */
    @Test
    void toleratesOneLostHeartbeat() {
        assertThat(Majority.tolerance(Duration.ofSeconds(1))).isEqualTo(TOLERANCE);
        assertThat(Majority.tolerance(Duration.ofSeconds(5))).isEqualTo(Duration.ofSeconds(11));
    }

    private void see() {
        membership.dataMembers().see(members.stream().map(Member::getUuid).toList());
    }

    private static Member member(int number, boolean local) {
        UUID uuid = new UUID(0, number);
        return (Member) Proxy.newProxyInstance(
                MajorityTest.class.getClassLoader(),
                new Class<?>[] {Member.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getUuid" -> uuid;
                    case "localMember" -> local;
                    default -> throw new AssertionError("not expected: " + method);
                });
    }
}
