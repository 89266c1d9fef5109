package io.weir.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The demo as its user runs it, in processes of its own. What a test has to read heeds no interrupt. */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DemoProcessTest {

    private final List<RunningDemo> started = new CopyOnWriteArrayList<>();

    /** Also those that hang, and the thread that reads them with them. */
    @AfterEach
    void endAll() {
        started.forEach(RunningDemo::end);
    }

    @Test
    void onceEndsWithTheVerdictAsItsExitCode() throws Exception {
        RunningDemo demo = start("--once", "--seconds=3");
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

    @Test
    void ctrlCShowsTheTableAndLeavesNothing() throws Exception {
        RunningDemo demo = start();
        demo.readUntil("    1 s");

        demo.signal("INT");

        assertThat(demo.readToTheEnd()).last().asString().startsWith("verdict      the limit held");
        assertThat(demo.exitCode()).isEqualTo(130);
        demo.awaitThatNoMemberIsLeft(3);
    }

    @Test
    void doesWhatAVisitorSaysAndTheLimitHolds() throws Exception {
        RunningDemo demo = start();
        demo.readUntil("    1 s");

        demo.say("attack 100", "the client \"mallory\" asks 100 times a second");
        demo.say("kill 3", "member 3 is killed");
        demo.say("freeze 3", "member 3 is not running");
        demo.say("start 3", "member 3 is back");
        demo.say("cut 1", "member 1 is cut off");
        demo.readUntilMatch(" s   asked .*unavailable [1-9].*"); // the minority decides nothing
        demo.say("heal 1", "member 1 can be reached again");
        demo.say("fly 1", "there is no \"fly\"");
        demo.say("quit", "enough");

        assertThat(demo.readToTheEnd())
                .anyMatch(line -> line.startsWith("mallory was granted "))
                .anyMatch(line -> line.endsWith("member 3 is killed"))
                .noneMatch(line -> line.contains("is not running"))
                .last()
                .isEqualTo("verdict      the limit held, through all of that");
        assertThat(demo.exitCode()).isZero();
        demo.awaitThatNoMemberIsLeft(3);
    }

    @Test
    void leavesNothingWhenItIsKilledWhileAMemberStarts() throws Exception {
        RunningDemo demo = start();
        demo.readUntil("Starting member 2");
        demo.awaitMembers(2);

        demo.signal("KILL");

        assertThat(demo.exitCode()).isEqualTo(137);
        demo.awaitThatNoMemberIsLeft(2);
    }

    private RunningDemo start(String... arguments) throws IOException {
        RunningDemo demo = new RunningDemo(arguments);
        started.add(demo);
        return demo;
    }

    private static final class RunningDemo {

        private final Process process;

        /** What it has started, as far as it has been looked at. */
        private volatile List<ProcessHandle> members = List.of();

        RunningDemo(String... arguments) throws IOException {
            int port = FreePorts.inARow(3 * Settings.MEMBERS);
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1", // as its members: it ends before better code would pay
                    "-XX:+UseSerialGC",
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

        /** Says a line, and reads until it was answered. */
        void say(String line, String answer) throws IOException {
            process.outputWriter().write(line + "\n");
            process.outputWriter().flush();
            readUntilMatch(".*" + Pattern.quote(answer) + ".*");
        }

        void readUntilMatch(String pattern) throws IOException {
            List<String> read = new ArrayList<>();
            String line = process.inputReader().readLine();
            while (line != null && !line.matches(".*" + pattern)) {
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
            long began = System.nanoTime();
            while (members.size() < count) {
                assertThat(process.waitFor(10, TimeUnit.MILLISECONDS))
                        .as("the demo has ended")
                        .isFalse();
                assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofMinutes(1));
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

        void end() {
            process.destroyForcibly();
            members.forEach(ProcessHandle::destroyForcibly);
        }
    }
}
