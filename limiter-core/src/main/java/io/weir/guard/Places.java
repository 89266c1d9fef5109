package io.weir.guard;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;

/** The places of one guard, and how often there was none. Exact under concurrency, and allocates nothing. Thread-safe. */
final class Places {

    static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    private static final Duration MOST_RETRY_AFTER = Duration.ofDays(1);

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private final int most;

    /** Never waited for: who comes first gets in. */
    private final Semaphore free;

    private final LongAdder refused = new LongAdder();

    Places(int most) {
        this.most = most;
        this.free = new Semaphore(most);
    }

    boolean enter() {
        return free.tryAcquire();
    }

    void leave() {
        free.release();
    }

    Slot refuse() {
        refused.increment();
        return Slot.NONE;
    }

    int most() {
        return most;
    }

    int taken() {
        return most - free.availablePermits();
    }

    long refused() {
        return refused.sum();
    }

    /** A guard's name becomes a metric tag, as a limit's does. */
    static String requireName(String name) {
        Objects.requireNonNull(name, "name of a guard");
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("guard name must be 1 to 64 of A-Z a-z 0-9 . _ - but is \""
                    + name.substring(0, Math.min(64, name.length())).replaceAll("[^ -~]", "?") + "\"");
        }
        return name;
    }

    static int requirePositive(String what, String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(what + " of guard \"" + name + "\" must be at least 1 but is " + value);
        }
        return value;
    }

    static Duration requireRetryAfter(String name, Duration value) {
        Objects.requireNonNull(value, "retryAfter");
        if (value.isNegative() || value.isZero() || value.compareTo(MOST_RETRY_AFTER) > 0) {
            throw new IllegalArgumentException("retryAfter of guard \"" + name
                    + "\" must be more than zero and at most " + MOST_RETRY_AFTER + " but is " + value);
        }
        return value;
    }
}
