package io.weir.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Short commands of the system. */
final class Shell {

    private Shell() {}

    /**
     * Runs a command, and waits for its end.
     *
     * @return what it printed
     * @throws IllegalStateException with what it printed, if it fails
     */
    static String run(String... command) {
        return feed("", command);
    }

    /** The same, with something to read on its standard input. */
    static String feed(String input, String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().close();
            String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int failed = process.waitFor();
            if (failed != 0) {
                throw new IllegalStateException(
                        String.join(" ", command) + " failed with " + failed + ": " + printed.strip());
            }
            return printed;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + List.of(command), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while running " + List.of(command), e);
        }
    }
}
