package io.weir.chaos;

import io.weir.hazelcast.HazelcastStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A mechanism that a bound rests on, and how to take it out of the real source: what is compiled then goes first on the class
 * path of the processes of a cluster, so that there is no way to switch it off in what users get. Another one is a line here
 * and a test in {@link RemovedMechanismIT}.
 */
enum Removed {
    /** A member that slept believes that it is still the owner. */
    SLEEPING_OWNER("BucketCall", "if (!owner.isAwake()) {", "if (!owner.isAwake() && number < 0) {"),

    /** A call that Hazelcast runs twice is decided twice. */
    CALL_NUMBERS("BucketCall", "number <= last.number()", "number < 0"),

    /** Both sides of a split go on. */
    PROTECTION("HazelcastStore", ".setSplitBrainProtectionName(Majority.NAME)", ""),

    /** When a split heals, each bucket is what it is on the larger side. */
    MERGE_POLICY(
            "HazelcastStore",
            ".setMergePolicyConfig(new MergePolicyConfig().setPolicy(LowerBalance.class.getName()))",
            "");

    private static final Path SOURCES = Path.of("..", "hazelcast-store", "src", "main", "java");

    private final String type;
    private final String right;
    private final String wrong;

    /**
     * @param type in whose source
     * @param right what is there, exactly once
     * @param wrong what takes its place
     */
    Removed(String type, String right, String wrong) {
        this.type = type;
        this.right = right;
        this.wrong = wrong;
    }

    /**
     * Compiles the source without it.
     *
     * @param classes a directory that is empty
     * @return what goes first on the class path
     */
    List<String> compiledTo(Path classes) {
        String name = HazelcastStore.class.getPackageName() + "." + type;
        String source = without(read(SOURCES.resolve(name.replace('.', '/') + ".java")));
        JavaFileObject unit =
                new SimpleJavaFileObject(
                        URI.create("string:///" + name.replace('.', '/') + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        List<String> options = List.of(
                "-d", classes.toString(), "-classpath", System.getProperty("java.class.path"), "-proc:none", "-nowarn");
        if (!ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, null, options, null, List.of(unit))
                .call()) {
            throw new IllegalStateException("does not compile without " + this);
        }
        return List.of(classes.toString());
    }

    private String without(String source) {
        int at = source.indexOf(right);
        if (at < 0 || source.indexOf(right, at + 1) >= 0) {
            throw new IllegalStateException(this + " is out of date: this must be said exactly once: " + right);
        }
        return source.substring(0, at) + wrong + source.substring(at + right.length());
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
