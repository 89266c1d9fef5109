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
 * Another version of one of the store's sources, for processes that have it first on their class path.
 *
 * @param type in whose source
 * @param here what is there, exactly once
 * @param instead what takes its place
 */
record Altered(String type, String here, String instead) {

    private static final Path SOURCES = Path.of("..", "hazelcast-store", "src", "main", "java");

    /**
     * Compiles it.
     *
     * @param classes a directory that is empty
     * @return what goes first on the class path
     */
    List<String> compiledTo(Path classes) {
        String name = HazelcastStore.class.getPackageName() + "." + type;
        String source = altered(read(SOURCES.resolve(name.replace('.', '/') + ".java")));
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
            throw new IllegalStateException("does not compile: " + this);
        }
        return List.of(classes.toString());
    }

    private String altered(String source) {
        int at = source.indexOf(here);
        if (at < 0 || source.indexOf(here, at + 1) >= 0) {
            throw new IllegalStateException(this + " is out of date: this must be said exactly once: " + here);
        }
        return source.substring(0, at) + instead + source.substring(at + here.length());
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
