package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.config.Config;
import com.hazelcast.config.EvictionPolicy;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.InMemoryYamlConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MergePolicyConfig;
import com.hazelcast.config.SerializerConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.DataSerializableFactory;
import com.hazelcast.nio.serialization.StreamSerializer;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class SettingsCheckTest {

    @Test
    void findsNothingWrongWithItsOwnConfiguration() {
        assertThat(SettingsCheck.warnings(HazelcastStore.mapConfig("shop"))).isEmpty();
        assertThat(SettingsCheck.warnings(new Properties())).isEmpty();
    }

    @Test
    void warnsByNameAndValueOfWhatVoidsABound() {
        assertWarning(map -> map.setBackupCount(0), "backup-count is 0");
        assertWarning(map -> map.getEvictionConfig().setEvictionPolicy(EvictionPolicy.LRU), "policy LRU");
        assertWarning(
                map -> map.getEvictionConfig().setComparatorClassName("com.example.Mine"),
                "comparator com.example.Mine");
        assertWarning(map -> map.setMaxIdleSeconds(60), "max-idle-seconds is 60");
        assertWarning(map -> map.setTimeToLiveSeconds(60), "time-to-live-seconds is 60");
        assertWarning(map -> map.getMapStoreConfig().setEnabled(true), "map-store is enabled");
        assertWarning(map -> map.setInMemoryFormat(InMemoryFormat.NATIVE), "in-memory-format is NATIVE");
        assertWarning(
                map -> map.setMergePolicyConfig(new MergePolicyConfig()),
                "merge-policy is com.hazelcast.spi.merge.PutIfAbsentMergePolicy");
    }

    @Test
    void warnsOfWhatForgetsDirectives() {
        assertThat(SettingsCheck.directivesWarnings(HazelcastStore.directivesConfig("shop")))
                .isEmpty();
        assertDirectivesWarning(map -> map.setBackupCount(0), "backup-count is 0");
        assertDirectivesWarning(map -> map.setMaxIdleSeconds(60), "max-idle-seconds");
        assertDirectivesWarning(map -> map.setTimeToLiveSeconds(60), "time-to-live-seconds");
        assertDirectivesWarning(map -> map.getEvictionConfig().setEvictionPolicy(EvictionPolicy.LRU), "eviction");
        assertDirectivesWarning(
                map -> map.setMergePolicyConfig(new MergePolicyConfig()),
                "merge-policy is com.hazelcast.spi.merge.PutIfAbsentMergePolicy");
        assertDirectivesWarning(map -> map.setSplitBrainProtectionName(null), "split-brain-protection-ref is null");
    }

    private static void assertDirectivesWarning(Consumer<MapConfig> change, String text) {
        MapConfig map = HazelcastStore.directivesConfig("shop");
        change.accept(map);
        assertThat(SettingsCheck.directivesWarnings(map))
                .singleElement()
                .asString()
                .contains(text);
    }

    @Test
    void warnsOfMembersThatAreRemovedBeforeTheyNoticeThatTheySlept() {
        Properties properties = new Properties();
        properties.setProperty("hazelcast.max.no.heartbeat.seconds", "2");
        assertThat(SettingsCheck.warnings(properties))
                .singleElement()
                .asString()
                .contains("hazelcast.max.no.heartbeat.seconds is 2");
        properties.setProperty("hazelcast.max.no.heartbeat.seconds", "5");
        assertThat(SettingsCheck.warnings(properties)).isEmpty();
    }

    private static void assertWarning(Consumer<MapConfig> change, String text) {
        MapConfig map = HazelcastStore.mapConfig("shop");
        change.accept(map);
        assertThat(SettingsCheck.warnings(map)).singleElement().asString().contains(text);
    }

    @Test
    void theYamlInTheDocumentationIsTheConfigurationInCode() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "hazelcast.md"));
        Matcher block = Pattern.compile("```yaml\\n(hazelcast:\\n.*?)```", Pattern.DOTALL)
                .matcher(page);
        assertThat(block.find()).isTrue();
        Config config = new InMemoryYamlConfig(block.group(1));

        Config inCode = HazelcastStore.configure(new Config(), "shop");
        assertThat(config.getMapConfig("weir.shop")).isEqualTo(inCode.getMapConfig("weir.shop"));
        assertThat(config.getMapConfig("weir-directives.shop")).isEqualTo(inCode.getMapConfig("weir-directives.shop"));
        assertThat(config.getMapConfig("weir-board.shop")).isEqualTo(inCode.getMapConfig("weir-board.shop"));
        assertThat(config.getSplitBrainProtectionConfigs()).isEqualTo(inCode.getSplitBrainProtectionConfigs());
    }

    @Test
    void configuringAgainChangesNothing() {
        Config once = HazelcastStore.configure(HazelcastStore.configure(new Config(), "shop"), "bar");
        Config twice = HazelcastStore.configure(HazelcastStore.configure(once, "shop"), "bar");
        assertThat(twice.getMapConfigs())
                .containsOnlyKeys(
                        "weir.shop",
                        "weir.bar",
                        "weir-directives.shop",
                        "weir-directives.bar",
                        "weir-board.shop",
                        "weir-board.bar");
        assertThat(twice.getSplitBrainProtectionConfigs()).containsOnlyKeys(Majority.NAME);
    }

    @Test
    void warnsByNameOfProtectionThatIsMissing() {
        MapConfig ours = HazelcastStore.mapConfig("shop");
        MapConfig without = HazelcastStore.mapConfig("shop").setSplitBrainProtectionName(null);
        MapConfig others = HazelcastStore.mapConfig("shop").setSplitBrainProtectionName("quorum");
        try (TestCluster cluster = TestCluster.of(1)) {
            assertThat(SettingsCheck.protectionWarning(cluster.member(0), ours)).isEmpty();
            assertProtectionWarning(cluster, without, "split-brain-protection-ref is null");
            assertProtectionWarning(cluster, others, "split-brain-protection-ref is quorum");
        }
        try (TestCluster cluster = TestCluster.of(1, config -> config.setSplitBrainProtectionConfigs(Map.of()))) {
            assertProtectionWarning(cluster, ours, "split-brain-protection-ref is weir, which does not run");
        }
        try (TestCluster cluster = TestCluster.of(
                1, config -> config.getSplitBrainProtectionConfig(Majority.NAME).setFunctionClassName(null))) {
            assertProtectionWarning(cluster, ours, "split-brain-protection-ref is weir, which does not run");
        }
    }

    private static void assertProtectionWarning(TestCluster cluster, MapConfig map, String text) {
        assertThat(SettingsCheck.protectionWarning(cluster.member(0), map))
                .get(InstanceOfAssertFactories.STRING)
                .contains(text);
    }

    @Test
    void addsTheMapToAClusterThatLacksIt() {
        try (TestCluster cluster = TestCluster.of(1);
                HazelcastStore store = HazelcastStore.join(cluster.member(0), "another")) {
            MapConfig added = cluster.member(0).getConfig().findMapConfig(HazelcastStore.mapName("another"));
            assertThat(added).isEqualTo(HazelcastStore.mapConfig("another"));
            MapConfig directives = HazelcastStore.directivesConfig("another");
            assertThat(cluster.member(0).getConfig().findMapConfig(directives.getName()))
                    .isEqualTo(directives);
            assertThat(store.nodes()).hasValue(1);
        }
    }

    @Test
    void aClashOfFactoryIdsIsReportedWhenTheMemberStarts() {
        DataSerializableFactory another = classId -> {
            throw new IllegalArgumentException("not ours");
        };

        assertThatThrownBy(() -> TestCluster.of(
                        1,
                        config -> config.getSerializationConfig().addDataSerializableFactory(Wire.FACTORY_ID, another)))
                .hasStackTraceContaining(String.valueOf(Wire.FACTORY_ID));
    }

    @Test
    void worksBesideOtherLibrariesSerializers() {
        Consumer<Config> others = config -> config.getSerializationConfig()
                .addSerializerConfig(serializer(1, StringBuilder.class))
                .addSerializerConfig(serializer(10_000, StringBuffer.class));
        try (TestCluster cluster = TestCluster.of(2, others);
                HazelcastStore store = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE)) {
            for (int i = 0; i < 20; i++) {
                var answer = store.buckets("limit", Rules.THOUSAND).take("key" + i, 1, 30_000_000_000L);
                assertThat(answer.state().level(0)).isEqualTo(999);
            }
        }
    }

    private static <T> SerializerConfig serializer(int typeId, Class<T> type) {
        return new SerializerConfig().setTypeClass(type).setImplementation(new StreamSerializer<T>() {
            @Override
            public int getTypeId() {
                return typeId;
            }

            @Override
            public void write(ObjectDataOutput out, T object) {
                throw new AssertionError("not for our classes");
            }

            @Override
            public T read(ObjectDataInput in) {
                throw new AssertionError("not for our classes");
            }
        });
    }

    @Test
    void anInstanceThatIsWrappedIsRefusedByName() {
        HazelcastInstance wrapped = (HazelcastInstance) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {HazelcastInstance.class},
                (proxy, method, arguments) -> null);

        assertThatThrownBy(() -> HazelcastStore.join(wrapped, "shop"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unwrap it");
    }

    @Test
    void aNamespaceThatIsNoneIsRefused() {
        assertThatThrownBy(() -> HazelcastStore.mapConfig("a b\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"a b?\"");
    }
}
