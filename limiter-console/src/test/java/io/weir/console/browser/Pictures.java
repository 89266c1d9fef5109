package io.weir.console.browser;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Takes pictures of the page for the documents: of a cluster that is well with a limit opened, and of one whose third node has just been killed. To be run from
 * the root of the repository with the tests' class path; takes about a minute.
 */
final class Pictures {

    /** Enough for a line to be seen. */
    private static final int LOOKS = 40;

    private Pictures() {}

    /**
     * Takes them.
     *
     * @param arguments the directory to write to, {@code docs/img} if there is none
     */
    public static void main(String[] arguments) throws IOException {
        Path directory = Files.createDirectories(Path.of(arguments.length > 0 ? arguments[0] : "docs/img"));
        try (Nodes nodes = Nodes.start(3);
                PageServer server = PageServer.of(nodes.get(0).console);
                Chromium page = Chromium.start()) {
            page.open(server.url() + "#limit=per-client");
            page.size(1280, 860);
            page.media("prefers-color-scheme", "light");
            page.awaitText("#sentence", "3 of 3 nodes");
            for (int i = 0; i < LOOKS; i++) {
                String look = page.text("#tick");
                page.await("another look", () -> !page.text("#tick").equals(look));
            }
            Files.write(directory.resolve("console-healthy.png"), page.picture());

            page.find("#close").click();
            nodes.get(2).die();
            page.awaitText("#sentence", "Member");
            page.size(1280, 560);
            Files.write(directory.resolve("console-member-killed.png"), page.picture());
        }
    }
}
