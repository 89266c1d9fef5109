package io.weir.guard;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A place among the work that a guard lets in, or the news that there was none. Close it when the work is done, on any thread; a
 * second close does nothing, so that it cannot be given back twice. Thread-safe.
 */
public final class Slot implements AutoCloseable {

    /** What is answered to everybody who is turned away: that costs no object. */
    static final Slot NONE = new Slot(null, "");

    private static final VarHandle CLOSED;

    static {
        try {
            CLOSED = MethodHandles.lookup().findVarHandle(Slot.class, "closed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Where a slot goes back to. */
    @FunctionalInterface
    interface Home {
        void leave(String key);
    }

    /** Null if there was no place. */
    private final @Nullable Home home;

    private final String key;

    @SuppressWarnings("UnusedVariable") // written through CLOSED
    private volatile boolean closed;

    private Slot(@Nullable Home home, String key) {
        this.home = home;
        this.key = key;
    }

    static Slot in(Home home, String key) {
        return new Slot(home, key);
    }

    /** Whether the work was let in. If not, it must not be done, and there is nothing to close. */
    public boolean entered() {
        return home != null;
    }

    @Override
    public void close() {
        if (home != null && CLOSED.compareAndSet(this, false, true)) {
            home.leave(key);
        }
    }

    @Override
    public String toString() {
        return "Slot[" + (entered() ? "entered" : "none") + "]";
    }
}
