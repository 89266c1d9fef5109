package io.weir.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.IdGenerator;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whether each link and picture of the documents leads to a file that is there, and to a heading of it; and each page can be reached. */
class LinksTest {

    private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

    private static final Path START = ROOT.resolve("docs/README.md");

    static List<Path> documents() throws IOException {
        List<Path> found = new ArrayList<>();
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
                Stream<Path> examples = Files.walk(ROOT.resolve("examples"), 2)) {
            Stream.of(top, docs, examples)
                    .flatMap(each -> each)
                    .filter(each -> each.toString().endsWith(".md"))
                    .forEach(found::add);
        }
        assertThat(found).hasSizeGreaterThan(30);
        return found;
    }

    @ParameterizedTest
    @MethodSource("documents")
    void leadsSomewhere(Path document) throws IOException {
        for (String link : links(document)) {
            URI uri = URI.create(link);
            if (uri.isAbsolute()) {
                continue;
            }
            Path target = target(document, uri);
            assertThat(target).as(link).exists();
            if (uri.getFragment() != null) {
                assertThat(anchors(target)).as(link).contains(uri.getFragment());
            }
        }
    }

    @Test
    void leadsFromTheStartToEachPage() throws IOException {
        Set<Path> reached = new HashSet<>();
        List<Path> next = new ArrayList<>(List.of(START));
        while (!next.isEmpty()) {
            Path document = next.remove(next.size() - 1);
            if (!document.toString().endsWith(".md") || !reached.add(document)) {
                continue;
            }
            for (String link : links(document)) {
                URI uri = URI.create(link);
                if (!uri.isAbsolute()) {
                    next.add(target(document, uri));
                }
            }
        }

        assertThat(reached).containsAll(documents());
    }

    private static Path target(Path document, URI uri) {
        return uri.getPath().isEmpty()
                ? document
                : document.resolveSibling(uri.getPath()).normalize();
    }

    private static List<String> links(Path document) throws IOException {
        List<String> found = new ArrayList<>();
        parsed(document).accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                found.add(link.getDestination());
                visitChildren(link);
            }

            @Override
            public void visit(Image image) {
                found.add(image.getDestination());
            }
        });
        return found;
    }

    /** As they are made of headings where the project is hosted. */
    private static List<String> anchors(Path document) throws IOException {
        IdGenerator names = IdGenerator.builder().build();
        List<String> found = new ArrayList<>();
        parsed(document).accept(new AbstractVisitor() {
            @Override
            public void visit(Heading heading) {
                found.add(names.generateId(text(heading)));
            }
        });
        return found;
    }

    private static String text(Node node) {
        StringBuilder text = new StringBuilder();
        node.accept(new AbstractVisitor() {
            @Override
            public void visit(Text part) {
                text.append(part.getLiteral());
            }

            @Override
            public void visit(Code part) {
                text.append(part.getLiteral());
            }
        });
        return text.toString();
    }

    private static Node parsed(Path document) throws IOException {
        return Parser.builder()
                .extensions(List.of(TablesExtension.create()))
                .build()
                .parse(Files.readString(document));
    }
}
