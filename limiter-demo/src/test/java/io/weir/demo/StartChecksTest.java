package io.weir.demo;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class StartChecksTest {

    @Test
    void asksForAsMuchMemoryAsThreeMembersNeed() {
        assertThatCode(() -> StartChecks.requireMemory(600)).doesNotThrowAnyException();
        assertThatThrownBy(() -> StartChecks.requireMemory(599))
                .isInstanceOf(CannotStartException.class)
                .hasMessage("three members need 600 MB of memory but only 599 MB are available: close other programs or"
                        + " enlarge the container");
    }

    @ParameterizedTest
    @CsvSource({"--http-port, 0", "--http-port, 2", "--hazelcast-port, 3", "--hazelcast-port, 5"})
    void namesThePortInUseAndItsOption(String option, int offset) throws IOException {
        int first = FreePorts.inARow(3 * Settings.MEMBERS);
        try (ServerSocket used = FreePorts.listen(first + offset)) {
            assertThatThrownBy(() -> StartChecks.requireFreePorts(settings(first, first + Settings.MEMBERS)))
                    .isInstanceOf(CannotStartException.class)
                    .hasMessageContaining("port " + used.getLocalPort() + " cannot be used")
                    .hasMessageEndingWith("with " + option);
        }
    }

    @Test
    void acceptsPortsThatAreFree() throws IOException {
        int first = FreePorts.inARow(3 * Settings.MEMBERS);
        assertThatCode(() -> StartChecks.requireFreePorts(settings(first, first + Settings.MEMBERS)))
                .doesNotThrowAnyException();
    }

    @Test
    void refusesPortsThatOverlap() throws IOException {
        int first = FreePorts.inARow(3 * Settings.MEMBERS);
        assertThatThrownBy(() -> StartChecks.requireFreePorts(settings(first, first + 2)))
                .isInstanceOf(CannotStartException.class)
                .hasMessageContaining("port " + (first + 2));
    }

    private static Settings settings(int httpPort, int hazelcastPort) {
        return CommandLine.populateCommand(
                new Settings(), "--http-port=" + httpPort, "--hazelcast-port=" + hazelcastPort);
    }

    @Test
    void saysWhichModuleIsMissingAndHowToAddIt() {
        assertThatCode(() -> StartChecks.requireModule("jdk.httpserver")).doesNotThrowAnyException();
        assertThatThrownBy(() -> StartChecks.requireModule("jdk.missing"))
                .isInstanceOf(CannotStartException.class)
                .hasMessageContaining("without the module jdk.missing")
                .hasMessageEndingWith("--add-modules jdk.missing");
    }
}
