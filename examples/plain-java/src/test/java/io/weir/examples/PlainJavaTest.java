package io.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.Config;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlainJavaTest {

    /** Nobody else's cluster. */
    private static Config alone() {
        Config config = new Config()
                .setClusterName("plain-java-" + ProcessHandle.current().pid());
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
        config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
        return config;
    }

    @Test
    void tellsAClientThatAsksTooOftenWhenToComeBack() {
        try (PlainJava service = new PlainJava(alone())) {
            String denial = IntStream.range(0, 100_000)
                    .mapToObj(i -> service.answer("ann"))
                    .filter(answer -> answer.contains("come back")) // a share, at a slow start, does not know when
                    .findFirst()
                    .orElseThrow();

            assertThat(denial).startsWith("too many requests, come back in PT0.0");
            assertThat(service.answer("bob")).isEqualTo("hello bob");
        }
    }
}
