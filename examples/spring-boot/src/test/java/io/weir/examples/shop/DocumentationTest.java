package io.weir.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whether the Java that the documents show compiles, as a reader would paste it: statements, an expression, or members. */
class DocumentationTest {

    private static final Path ROOT = Path.of("..", "..");

    private static final Pattern BLOCK = Pattern.compile("^```java\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL);

    /** What a reader has around it. */
    private static final String FRAME = """
            import com.hazelcast.config.*;
            import com.hazelcast.core.*;
            import com.sun.net.httpserver.*;
            import io.weir.*;
            import io.weir.algorithm.*;
            import io.weir.console.*;
            import io.weir.guard.*;
            import io.weir.hazelcast.*;
            import io.weir.http.*;
            import io.weir.http.ClientAddress.ForwardedBy;
            import io.weir.quota.*;
            import io.weir.quota.Period;
            import io.weir.spring.*;
            import io.weir.store.*;
            import jakarta.servlet.DispatcherType;
            import jakarta.servlet.Filter;
            import jakarta.servlet.FilterRegistration;
            import jakarta.servlet.ServletContext;
            import java.time.*;
            import java.util.*;
            import javax.sql.DataSource;
            import org.springframework.context.event.EventListener;

            abstract class Snippet {
                String clientId;
                Weir weir;
                HttpLimits limits;
                HttpQuotas quotas;
                DataSource dataSource;
                String requestId;
                long used;
                Position position;
                ServletContext servletContext;
                Filter security;

                interface Report {}

                abstract Object tooManyRequests(Optional<Duration> retryAfter);

                abstract Object forbidden(Optional<Instant> resetsAt);

            %s
            }
            """;

    private static final List<String> FORMS = List.of(
            "Object run() throws Exception { if (weir != null) {\n%s\n} return null; }",
            "Object run() throws Exception { return\n%s\n; }", "%s");

    @TempDir
    private Path classes;

    private record Snippet(String where, String text) {
        @Override
        public String toString() {
            return where;
        }
    }

    static List<Snippet> snippets() throws IOException {
        List<Snippet> found = new ArrayList<>();
        try (Stream<Path> documents = Files.list(ROOT.resolve("docs"))) {
            for (Path document : Stream.concat(Stream.of(ROOT.resolve("README.md")), documents)
                    .filter(path -> path.toString().endsWith(".md"))
                    .sorted()
                    .toList()) {
                String text = Files.readString(document);
                Matcher blocks = BLOCK.matcher(text);
                while (blocks.find()) {
                    long line = text.substring(0, blocks.start()).lines().count() + 1;
                    String elided =
                            blocks.group(1).replace("{ ... }", "{ throw new UnsupportedOperationException(); }");
                    found.add(new Snippet(document.getFileName() + ":" + line, elided));
                }
            }
        }
        assertThat(found).hasSizeGreaterThan(5);
        return found;
    }

    @ParameterizedTest
    @MethodSource("snippets")
    void compiles(Snippet snippet) {
        List<String> errors = new ArrayList<>();
        for (String form : FORMS) {
            String error = errorsOf(FRAME.formatted(form.formatted(snippet.text())));
            if (error.isEmpty()) {
                return;
            }
            errors.add(error);
        }
        assertThat(errors).as("as statements, as an expression, as members").isEmpty();
    }

    private String errorsOf(String source) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///Snippet.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        StringWriter errors = new StringWriter();
        List<String> options =
                List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path"));
        boolean compiled = compiler.getTask(errors, null, null, options, null, List.of(file))
                .call();
        return compiled ? "" : errors.toString();
    }
}
