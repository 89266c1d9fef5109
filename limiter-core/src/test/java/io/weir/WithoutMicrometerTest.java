package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.weir.algorithm.Bandwidth;
import io.weir.store.LocalStore;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The core needs the JDK only. */
class WithoutMicrometerTest {

    @Test
    void limitsOnNothingButTheJdk() throws Exception {
        URL[] core = {location(Weir.class), location(Use.class)};
        try (URLClassLoader jdkAndCore = new URLClassLoader(core, ClassLoader.getPlatformClassLoader())) {
            assertThatExceptionOfType(ClassNotFoundException.class)
                    .isThrownBy(() -> jdkAndCore.loadClass("io.micrometer.core.instrument.MeterRegistry"));

            Class<?> use = jdkAndCore.loadClass(Use.class.getName());

            assertThat(use).isNotSameAs(Use.class);
            assertThat(((BooleanSupplier) use.getConstructor().newInstance()).getAsBoolean())
                    .isTrue();
        }
    }

    private static URL location(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    /** What an application does, from its first line to its last. */
    public static final class Use implements BooleanSupplier {
        @Override
        public boolean getAsBoolean() {
            Limit limit = Limit.named("api", FailurePolicy.LOCAL_SHARE)
                    .bandwidth(Bandwidth.of(1, 1, Duration.ofDays(1)))
                    .build();
            try (Weir weir = Weir.over(LocalStore.create()).limit(limit).build()) {
                Limiter limiter = weir.limiter("api");
                return limiter.tryAcquire("a").granted()
                        && !limiter.tryAcquireAsync("a").join().granted();
            }
        }
    }
}
