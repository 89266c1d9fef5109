package io.weir.demo;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class StartChecksTest {

    @Test
    void asksForAsMuchMemoryAsThreeMembersNeed() {
        assertThatCode(() -> StartChecks.requireMemory(600)).doesNotThrowAnyException();
        assertThatThrownBy(() -> StartChecks.requireMemory(599))
                .isInstanceOf(CannotStartException.class)
                .hasMessage("three members need 600 MB of memory but only 599 MB are available: close other programs or"
                        + " enlarge the container");
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
