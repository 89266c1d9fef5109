package io.weir.hazelcast;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.LongFunction;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Our classes with one mistake planted in one of their sources, or with none: compiled anew, and loaded beside the original,
 * tests included.
 */
final class Mutant {

    /** Of this module, and of the one that decides. */
    private static final List<Path> SOURCES =
            List.of(Path.of("src", "main", "java"), Path.of("..", "limiter-core", "src", "main", "java"));

    private static final String OURS = "io.weir.";

    /**
     * A part of a mistake.
     *
     * @param right what must be there exactly once
     * @param wrong what takes its place
     */
    record Edit(String right, String wrong) {
        private String in(String source) {
            int at = source.indexOf(right);
            if (at < 0 || source.indexOf(right, at + 1) >= 0) {
                throw new IllegalStateException("the mistake is out of date: this must be said exactly once: " + right);
            }
            return source.substring(0, at) + wrong + source.substring(at + right.length());
        }
    }

    private final ClassLoader loader;

    private Mutant(ClassLoader loader) {
        this.loader = loader;
    }

    /** Everything as it is. */
    static Mutant none() {
        return new Mutant(new Loader(null));
    }

    /**
     * With a mistake.
     *
     * @param type in whose source
     * @param classes a directory that is empty, for what is compiled
     */
    static Mutant of(Class<?> type, List<Edit> edits, Path classes) {
        String file = type.getName().replace('.', '/') + ".java";
        String source = SOURCES.stream()
                .map(each -> each.resolve(file))
                .filter(Files::exists)
                .findFirst()
                .map(Mutant::read)
                .orElseThrow(() -> new IllegalStateException("no source of " + type));
        for (Edit each : edits) {
            source = each.in(source);
        }
        compile(type.getName(), source, classes);
        return new Mutant(new Loader(classes));
    }

    private static String read(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void compile(String name, String source, Path classes) {
        JavaCompiler compiler =
                Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "mistakes are compiled: run on a JDK");
        JavaFileObject unit =
                new SimpleJavaFileObject(
                        URI.create("string:///" + name.replace('.', '/') + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        StringWriter messages = new StringWriter();
        List<String> options = List.of(
                "-d", classes.toString(), "-classpath", System.getProperty("java.class.path"), "-proc:none", "-nowarn");
        if (!compiler.getTask(messages, null, null, options, null, List.of(unit))
                .call()) {
            throw new IllegalStateException("the mistake does not compile: " + messages);
        }
    }

    /** A function of this package, to be called from outside of it. */
    @SuppressWarnings("unchecked") // it is named by whoever knows
    LongFunction<String> load(Class<? extends LongFunction<String>> type) {
        try {
            return (LongFunction<String>)
                    loader.loadClass(type.getName()).getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Loads our classes itself, from what was compiled or else from where the original is; the rest as usual. */
    private static final class Loader extends ClassLoader {
        private final @Nullable Path classes;

        Loader(@Nullable Path classes) {
            super(Mutant.class.getClassLoader());
            this.classes = classes;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(OURS)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            String file = name.replace('.', '/') + ".class";
            try (InputStream in = open(file)) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        private @Nullable InputStream open(String file) throws IOException {
            Path compiled = classes == null ? null : classes.resolve(file);
            return compiled != null && Files.exists(compiled)
                    ? Files.newInputStream(compiled)
                    : getParent().getResourceAsStream(file);
        }
    }
}
