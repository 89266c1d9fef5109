package io.weir.chaos;

import java.io.File;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** How the clock of one process is made to differ from the machine's. */
enum Skew {
    /**
     * Debian's {@code faketime}: everything in the process sees another date. Preloaded by hand rather than through the
     * command of that name, which would stay as the parent of the JVM and get the signals that are meant for it. Needs
     * glibc, whose loader knows what {@code $LIB} is.
     */
    FAKETIME {
        @Override
        void apply(Duration ahead, List<String> jvmFlags, Map<String, String> environment) {
            environment.put("LD_PRELOAD", "/usr/$LIB/faketime/libfaketimeMT.so.1");
            environment.put(
                    "FAKETIME",
                    (ahead.isNegative() ? "" : "+")
                            + BigDecimal.valueOf(ahead.toMillis(), 3).toPlainString());
            environment.put("FAKETIME_DONT_FAKE_MONOTONIC", "1"); // grants are timed by the monotonic clock
            environment.put("FAKETIME_FORCE_MONOTONIC_FIX", "0"); // which makes each timed wait of a JVM end at once
        }
    },

    /** Hazelcast's own offset: Hazelcast sees another date, and so do owners, who ask it for theirs. */
    HAZELCAST {
        @Override
        void apply(Duration ahead, List<String> jvmFlags, Map<String, String> environment) {
            jvmFlags.add("-Dcom.hazelcast.clock.offset=" + ahead.toMillis());
        }
    };

    private static final Path MAPS = Path.of("/proc/self/maps");

    /** The better one that works here; {@code -Dweir.chaos.skew=HAZELCAST} overrules. */
    static Skew available() {
        String wanted = System.getProperty("weir.chaos.skew");
        if (wanted != null) {
            return valueOf(wanted);
        }
        return hasGlibc() && hasFaketime() ? FAKETIME : HAZELCAST;
    }

    private static boolean hasFaketime() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, "faketime")));
    }

    /** Whether this JVM, as its children will be, was not loaded by the one other C library that JVMs are built for. */
    private static boolean hasGlibc() {
        try {
            return !Files.readString(MAPS).contains("/ld-musl-");
        } catch (IOException e) {
            return false; // not even Linux
        }
    }

    /** Makes the clock of a process that is about to be started differ by {@code ahead}, which may be negative. */
    abstract void apply(Duration ahead, List<String> jvmFlags, Map<String, String> environment);
}
