package io.weir.console.browser;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Takes the picture of the page for the documents: of a cluster whose third node has just been killed. To be run from the root of the repository with the
 * tests' class path; takes about a minute. {@code pdftocairo -svg target/console.pdf docs/img/console.svg} makes of it what the documents show.
 */
final class Pictures {

    /** Enough for headroom and rates to be those of a cluster that runs. */
    private static final int LOOKS = 30;

    private Pictures() {}

    /**
     * Takes it.
     *
     * @param arguments the directory to write to, {@code target} if there is none
     */
    public static void main(String[] arguments) throws IOException {
        Path directory = Files.createDirectories(Path.of(arguments.length > 0 ? arguments[0] : "target"));
        try (Nodes nodes = Nodes.start(3);
                PageServer server = PageServer.of(nodes.get(0).console);
                Chromium page = Chromium.start()) {
            page.open(server.url());
            page.media("prefers-color-scheme", "light");
            page.awaitText("#sentence", "3 of 3 nodes");
            for (int i = 0; i < LOOKS; i++) {
                String look = page.text("#tick");
                page.await("another look", () -> !page.text("#tick").equals(look));
            }
            nodes.get(2).die();
            page.awaitText("#sentence", "Member");
            Files.write(directory.resolve("console.pdf"), page.drawing(12.5, 5));
        }
    }
}
