package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClusterSizeTest {

    private long now;
    private final ClusterSize size = new ClusterSize(() -> now, 3);

    @Test
    void growsAtOnce() {
        size.changed(4);
        assertThat(size.stable()).isEqualTo(4);
    }

    @Test
    void shrinksOnlyAfterTheHold() {
        size.changed(2);
        size.changed(1);
        now += ClusterSize.HOLD.toNanos() - 1;
        assertThat(size.stable()).isEqualTo(3);
        now += 1;
        assertThat(size.stable()).isEqualTo(1);
    }

    @Test
    void aFlappingMemberKeepsTheSizeUp() {
        for (int i = 0; i < 1_000; i++) {
            size.changed(2);
            now += ClusterSize.HOLD.toNanos() / 2;
            assertThat(size.stable()).isEqualTo(3);
            size.changed(3);
        }
        size.changed(2);
        now += ClusterSize.HOLD.toNanos();
        assertThat(size.stable()).isEqualTo(2);
    }
}
