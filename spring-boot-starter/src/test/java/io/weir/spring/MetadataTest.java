package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** What an editor knows of our properties. */
class MetadataTest {

    private static final String WHERE = "META-INF/spring-configuration-metadata.json";

    @Test
    void saysOfEachPropertyWhatItIsAndMeans() throws IOException {
        List<Map<String, Object>> properties = ours("properties");

        assertThat(properties)
                .extracting(each -> each.get("name"))
                .contains(
                        "weir.enabled",
                        "weir.namespace",
                        "weir.store",
                        "weir.hazelcast-instance",
                        "weir.nodes",
                        "weir.limits",
                        "weir.quotas",
                        "weir.quota.data-source",
                        "weir.quota.schema",
                        "weir.quota.hold",
                        "weir.http.exhausted-status",
                        "weir.http.reset-jitter",
                        "weir.http.routes",
                        "weir.endpoint.changes",
                        "weir.endpoint.directives",
                        "weir.console.enabled",
                        "weir.console.path",
                        "weir.console.mask-keys",
                        "weir.http.client-address.trusted-proxies",
                        "weir.http.client-address.read-from",
                        "weir.http.client-address.ipv6-prefix",
                        "weir.http.dialects",
                        "weir.http.impossible-status",
                        "weir.http.jitter",
                        "weir.http.shed.in-flight",
                        "weir.http.shed.retry-after",
                        "weir.http.concurrency");
        assertThat(properties).allSatisfy(each -> {
            assertThat(each.get("type")).as("type of %s", each.get("name")).isNotNull();
            assertThat(String.valueOf(each.get("description")))
                    .as("description of %s", each.get("name"))
                    .matches("(?s)[A-Z0-9].{10,}\\.");
        });
    }

    @Test
    void hintsAtPropertiesThatThereAre() throws IOException {
        assertThat(ours("properties"))
                .extracting(each -> each.get("name"))
                .containsAll(
                        ours("hints").stream().map(each -> each.get("name")).toList());
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> ours(String what) throws IOException {
        List<Map<String, Object>> found = new ArrayList<>();
        for (var url : Collections.list(MetadataTest.class.getClassLoader().getResources(WHERE))) {
            try (InputStream json = url.openStream()) {
                String text = new String(json.readAllBytes(), StandardCharsets.UTF_8);
                if (!text.contains("io.weir.spring")) {
                    continue;
                }
                Map<String, Object> metadata = new Yaml().load(text.replace("\\/", "/")); // JSON is YAML, but for this
                for (Object each : (List<Object>) metadata.getOrDefault(what, List.of())) {
                    Map<String, Object> one = (Map<String, Object>) each;
                    if (Objects.toString(one.get("name")).startsWith("weir.")) {
                        found.add(one);
                    }
                }
            }
        }
        return found;
    }
}
