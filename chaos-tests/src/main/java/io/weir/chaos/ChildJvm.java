package io.weir.chaos;

import com.hazelcast.core.HazelcastInstance;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The command of a process: the JVM that runs this one, with {@link Member} as its program, and none of Weir on its class
 * path where the role has none.
 *
 * @param ahead of this machine's clock; may be negative, or zero for none of the {@link Skew} rigs
 * @param properties system properties, Hazelcast's among them
 * @param firstOnClassPath where classes are looked for before where they should be
 */
record ChildJvm(Role role, Place place, Duration ahead, Map<String, String> properties, List<String> firstOnClassPath) {

    /** Hazelcast's flags for a modern JDK, which Maven knows. Hazelcast works without them, and warns. */
    private static final String JVM_FLAGS = System.getProperty("weir.chaos.jvmFlags", "");

    /** The same as something else to its cluster. */
    ChildJvm as(Role another) {
        return new ChildJvm(another, place, ahead, properties, firstOnClassPath);
    }

    /** The same with other classes than those that the cluster's processes begin with. */
    ChildJvm withFirstOnClassPath(List<String> places) {
        return new ChildJvm(role, place, ahead, properties, List.copyOf(places));
    }

    ProcessBuilder command() {
        ProcessBuilder builder = new ProcessBuilder();
        List<String> command = new ArrayList<>(place.prefix());
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                Stream.of(JVM_FLAGS.split(" ")).filter(flag -> !flag.isEmpty()).toList());
        command.addAll(List.of("-Xmx160m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Duser.language=en"));
        command.add("-Djava.util.logging.SimpleFormatter.format=" + Log.FORMAT);
        properties.forEach((name, value) -> command.add("-D" + name + "=" + value));
        if (!ahead.isZero()) {
            Skew.available().apply(ahead, command, builder.environment());
        }
        command.addAll(List.of("-cp", classPath(), Member.class.getName()));
        command.add(role.name());
        command.addAll(place.words());
        return builder.command(command);
    }

    private String classPath() {
        Stream<String> needed = role == Role.PLAIN
                ? Stream.of(Member.class, HazelcastInstance.class).map(ChildJvm::origin)
                : Stream.of(System.getProperty("java.class.path"));
        return Stream.concat(firstOnClassPath.stream(), needed).collect(Collectors.joining(File.pathSeparator));
    }

    /** The jar, or the directory, that a class was loaded from. */
    private static String origin(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException("where " + type + " was loaded from is no path", e);
        }
    }
}
