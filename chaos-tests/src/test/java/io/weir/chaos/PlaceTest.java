package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

class PlaceTest {

    @Test
    void saysWhatIsMissingOnOtherSystems() {
        assertThatCode(() -> Place.requireLinux("Linux")).doesNotThrowAnyException();
        assertThatIllegalStateException()
                .isThrownBy(() -> Place.requireLinux("Mac OS X"))
                .withMessage("chaos tests need Linux: each process has an address of its own, 127.0.0.11 to 127.0.0.18,"
                        + " and this is Mac OS X");
    }
}
