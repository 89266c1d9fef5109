package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Algorithm.Kind;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SettlementTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    /** Elsewhere a permit that is debited now and spent later would leave its window too early. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void onlyATokenBucketLends(Kind kind) {
        Rule rule = new Rule(1, kind.with(List.of(Bandwidth.perWindow(1_000, Duration.ofMinutes(1)))));
        LeaseReport wanting = new LeaseReport(0, 0, 100, SECOND / 2, 2 * SECOND);

        Settlement settled = Settlement.of(null, null, rule, wanting, List.of(), List.of(new Request.Take(1)), SECOND);

        assertThat(settled.verdicts()).containsExactly(Verdict.GRANTED);
        assertThat(Objects.requireNonNull(settled.lease()).lent()).isEqualTo(kind == Kind.TOKEN_BUCKET ? 100 : 0);
        assertThat(settled.held()).isEqualTo(kind == Kind.TOKEN_BUCKET ? 100 : 0);
    }
}
