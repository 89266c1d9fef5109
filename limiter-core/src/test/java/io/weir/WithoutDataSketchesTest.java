package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.weir.algorithm.Bandwidth;
import io.weir.store.LocalStore;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** {@link WithoutMicrometerTest} shows that limits need the JDK only; this, what becomes of watching keys. */
class WithoutDataSketchesTest {

    @Test
    void saysWhatIsMissingIfKeysAreToBeWatchedAndLimitsIfNot() throws Exception {
        URL[] core = {location(Weir.class), location(Use.class)};
        try (URLClassLoader jdkAndCore = new URLClassLoader(core, ClassLoader.getPlatformClassLoader())) {
            assertThatExceptionOfType(ClassNotFoundException.class)
                    .isThrownBy(() -> jdkAndCore.loadClass("org.apache.datasketches.frequencies.ItemsSketch"));

            Class<?> use = jdkAndCore.loadClass(Use.class.getName());

            assertThat(use).isNotSameAs(Use.class);
            assertThat(((Supplier<?>) use.getConstructor().newInstance()).get())
                    .asString()
                    .contains("org.apache.datasketches:datasketches-java")
                    .endsWith("; limited and watched []");
        }
    }

    private static URL location(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    /** An application that asks for what it has not brought along, and does without. */
    public static final class Use implements Supplier<String> {
        @Override
        public String get() {
            Weir.Builder builder = Weir.over(LocalStore.create())
                    .limit(Limit.named("api", FailurePolicy.DENY)
                            .bandwidth(Bandwidth.of(1, 1, Duration.ofDays(1)))
                            .build());
            try (Weir weir = builder.build()) {
                String limited = weir.limiter("api").tryAcquire("a").granted() ? "limited" : "broken";
                String watched = "watched " + weir.limiter("api").busiestKeys(10);
                return refusal(builder) + "; " + limited + " and " + watched;
            }
        }

        private static String refusal(Weir.Builder builder) {
            try {
                builder.watchKeys(KeyWatch.create().atCap(Duration.ofMinutes(1), key -> {}))
                        .build()
                        .close();
                return "none";
            } catch (IllegalStateException e) {
                return String.valueOf(e.getMessage());
            }
        }
    }
}
