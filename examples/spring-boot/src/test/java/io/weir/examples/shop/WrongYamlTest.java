package io.weir.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a mistake in the YAML looks like to whoever starts the application; the starter's own tests know a dozen. */
class WrongYamlTest {

    @Test
    void stopsWithOneMessageThatNamesTheLine() throws Exception {
        Path yaml = Files.writeString(Path.of("target", "wrong.yaml").toAbsolutePath(), """
                weir:
                  namespace: shop
                  limits:
                    per-client:
                      capacity: 100
                      refill: fifty
                      failure-policy: deny
                """);
        try (ShopProcess shop = ShopProcess.start("wrong", List.of("--spring.config.location=file:" + yaml))) {
            assertThat(shop.awaitExit(Duration.ofSeconds(60))).isEqualTo(1);

            assertThat(shop.output())
                    .containsOnlyOnce("APPLICATION FAILED TO START")
                    .contains("weir.limits.per-client.refill")
                    .contains("wrong.yaml")
                    .contains("6:15")
                    .contains("50/s")
                    .doesNotContain("\tat ");
        }
    }
}
