package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

class LoopbackNetworkTest {

    @Test
    void saysWhatIsMissingOnOtherSystems() {
        assertThatCode(() -> LoopbackNetwork.requireLinux("Linux")).doesNotThrowAnyException();
        assertThatIllegalStateException()
                .isThrownBy(() -> LoopbackNetwork.requireLinux("Mac OS X"))
                .withMessage("chaos tests need Linux: each process has an address of its own, from 127.0.0.11 on,"
                        + " and this is Mac OS X");
    }
}
