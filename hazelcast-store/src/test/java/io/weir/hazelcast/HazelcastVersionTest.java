package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.instance.BuildInfoProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Says which version of Hazelcast it is, by Hazelcast's own switch for tests. */
class HazelcastVersionTest {

    private static final String SAID = "hazelcast.internal.override.version";

    @AfterEach
    void sayWhatItIs() {
        System.clearProperty(SAID);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"5.5.0", "5.5.9", "5.7.1-SNAPSHOT", "5.10.0", "6.0.0", "5.5.0.1", "5.6.0.redhat-00001", "ours"})
    void takesWhatIsNewEnough(String version) {
        System.setProperty(SAID, version);
        assertThatCode(HazelcastVersion::require).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.4.9", "5.0.0", "4.2.8", "5.4.0.redhat-00001"})
    void refusesToJoinWhatIsTooOldAndSaysBothVersions(String version) {
        try (TestCluster cluster = TestCluster.of(1)) {
            System.setProperty(SAID, version);
            assertThatThrownBy(() -> HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("needs Hazelcast 5.5.0", "but " + version, "hazelcast.version");
        }
    }

    /** So that a build that means to test another version does so. */
    @Test
    @Tag("each-hazelcast")
    void runsOnTheHazelcastThatIsMeant() {
        assertThat(BuildInfoProvider.getBuildInfo().getVersion()).isEqualTo(System.getProperty("weir.test.hazelcast"));
    }

    @Test
    void saysWhichVersionLacksWhatItCalls() {
        System.setProperty(SAID, "7.0.0");
        NoSuchMethodError missing = new NoSuchMethodError("'void gone()'");
        assertThat(HazelcastVersion.lacks(missing))
                .hasMessageContainingAll("Hazelcast 7.0.0 does not have", "hazelcast.version")
                .hasCause(missing);
    }
}
