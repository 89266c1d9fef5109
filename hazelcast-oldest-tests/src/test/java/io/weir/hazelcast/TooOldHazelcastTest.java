package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.BuildInfoProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A member and a client of a Hazelcast that is older than the oldest, which is a jar that the build puts here. */
class TooOldHazelcastTest {

    private static final String SAID = "hazelcast.internal.override.version";

    private static TestCluster cluster;

    @BeforeAll
    static void start() {
        cluster = TestCluster.of(1);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void sayWhatItIs() {
        System.clearProperty(SAID);
    }

    @Test
    void refusesToJoinAndSaysBothVersions() {
        String found = BuildInfoProvider.getBuildInfo().getVersion();
        assertThat(found).startsWith("5.4.");
        assertRefused(cluster.member(0), "needs Hazelcast 5.5.0", "but " + found, "hazelcast.version");
        assertRefused(cluster.addClient(), "needs Hazelcast 5.5.0", "but " + found, "hazelcast.version");
    }

    /** As a newer one would if it changed what we call: this one says that it is newer, and has no such constructor. */
    @Test
    void saysWhichVersionLacksWhatItCalls() {
        HazelcastInstance client = cluster.addClient();
        System.setProperty(SAID, "5.99.0");
        assertRefused(client, "Hazelcast 5.99.0 does not have what Weir calls", "hazelcast.version");
    }

    private static void assertRefused(HazelcastInstance instance, String... said) {
        assertThatThrownBy(() -> HazelcastStore.join(instance, TestCluster.NAMESPACE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(said);
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .as("threads that it left behind, beside the tick that is the member's")
                .noneMatch(name -> name.startsWith("weir-") && !name.equals("weir-owner-tick"));
    }
}
