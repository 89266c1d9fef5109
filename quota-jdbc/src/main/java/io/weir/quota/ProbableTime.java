package io.weir.quota;

import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** What time it probably is, to look for rows by before the database has told. Nothing is decided by it. */
final class ProbableTime {

    private static final InstantSource SYSTEM = InstantSource.system();

    private ProbableTime() {}

    /** @param clock the ledger's, which is right; null for the database's */
    static Instant of(@Nullable InstantSource clock) {
        return clock == null ? SYSTEM.instant() : clock.instant();
    }
}
