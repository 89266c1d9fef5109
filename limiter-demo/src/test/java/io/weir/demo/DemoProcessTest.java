package io.weir.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The demo as its user runs it, in processes of its own. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class DemoProcessTest {

    @Test
    void onceEndsWithTheVerdictAsItsExitCode() throws Exception {
        try (RunningDemo demo = new RunningDemo("--once", "--seconds=3")) {
            demo.readUntil("    1 s");
            List<String> rest = demo.readToTheEnd();

            assertThat(rest)
                    .anyMatch(line -> line.matches("asked( +\\d+){4}"))
                    .anyMatch(line -> line.startsWith("history      WITHIN the bound of 100 "));
            // On a machine that is busy otherwise, the last 2 % of so short a run are its first and last requests.
            assertThat(rest).as("at least 90 %%").anyMatch(line -> line.matches("granted +(9|10)\\d\\.\\d % of that"));
            boolean usedUp = rest.get(rest.size() - 1).endsWith("was used up");
            assertThat(demo.exitCode()).as("%s", rest).isEqualTo(usedUp ? 0 : 1);
            demo.awaitThatNoMemberIsLeft(3);
        }
    }

    @Test
    void ctrlCShowsTheTableAndLeavesNothing() throws Exception {
        try (RunningDemo demo = new RunningDemo()) {
            demo.readUntil("    1 s");

            demo.signal("INT");

            assertThat(demo.readToTheEnd()).last().asString().startsWith("verdict      the limit held");
            assertThat(demo.exitCode()).isEqualTo(130);
            demo.awaitThatNoMemberIsLeft(3);
        }
    }

    @Test
    void leavesNothingWhenItIsKilledWhileAMemberStarts() throws Exception {
        try (RunningDemo demo = new RunningDemo()) {
            demo.readUntil("Starting member 2");
            demo.awaitMembers(2);

            demo.signal("KILL");

            assertThat(demo.exitCode()).isEqualTo(137);
            demo.awaitThatNoMemberIsLeft(2);
        }
    }

    private static final class RunningDemo implements AutoCloseable {

        private final Process process;

        /** What it has started, as far as it has been looked at. */
        private List<ProcessHandle> members = List.of();

        RunningDemo(String... arguments) throws IOException {
            int port = freePorts(2 * Settings.MEMBERS);
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    Demo.class.getName(),
                    "--http-port=" + port,
                    "--hazelcast-port=" + (port + Settings.MEMBERS)));
            command.addAll(List.of(arguments));
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        }

        void readUntil(String start) throws IOException {
            List<String> read = new ArrayList<>();
            String line = process.inputReader().readLine();
            while (line != null && !line.startsWith(start)) {
                read.add(line);
                line = process.inputReader().readLine();
            }
            assertThat(line).as("after %s", read).isNotNull();
            members = process.descendants().toList();
        }

        List<String> readToTheEnd() {
            return process.inputReader().lines().toList();
        }

        void awaitMembers(int count) throws InterruptedException {
            while (members.size() < count) {
                TimeUnit.MILLISECONDS.sleep(10);
                members = process.descendants().toList();
            }
        }

        void signal(String name) throws IOException, InterruptedException {
            String pid = Long.toString(process.pid());
            Process kill = new ProcessBuilder("kill", "-" + name, pid).start();
            assertThat(kill.waitFor()).isZero();
        }

        int exitCode() throws InterruptedException {
            return process.waitFor();
        }

        void awaitThatNoMemberIsLeft(int started) throws Exception {
            assertThat(members).hasSize(started);
            for (ProcessHandle member : members) {
                member.onExit().get(1, TimeUnit.MINUTES);
            }
        }

        @Override
        public void close() {
            process.destroyForcibly();
            members.forEach(ProcessHandle::destroyForcibly);
        }

        /** The first of some in a row. */
        private static int freePorts(int count) throws IOException {
            List<ServerSocket> sockets = new ArrayList<>();
            try {
                sockets.add(listen(0));
                int first = sockets.get(0).getLocalPort();
                while (sockets.size() < count) {
                    sockets.add(listen(first + sockets.size()));
                }
                return first;
            } catch (BindException e) {
                return freePorts(count);
            } finally {
                for (ServerSocket socket : sockets) {
                    socket.close();
                }
            }
        }

        private static ServerSocket listen(int port) throws IOException {
            return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
        }
    }
}
