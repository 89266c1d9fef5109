package io.weir.http;

import io.weir.guard.Slot;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What guards say of a request: it may go on, and has to be closed when it is done, or it is refused. A second close does nothing.
 * Thread-safe.
 */
public final class Admission implements AutoCloseable {

    /** For requests that nobody counts. */
    static final Admission FREE = new Admission(null, List.of());

    /** Wrapped up once: to refuse costs no object. */
    private final Optional<HttpAnswer.Denied> refusal;

    private final List<Slot> slots;

    private Admission(HttpAnswer.@Nullable Denied refusal, List<Slot> slots) {
        this.refusal = Optional.ofNullable(refusal);
        this.slots = slots;
    }

    static Admission refused(HttpAnswer.Denied answer) {
        return new Admission(answer, List.of());
    }

    static Admission into(List<Slot> slots) {
        return new Admission(null, List.copyOf(slots));
    }

    /** The answer to a request that must not go on; empty if it may. */
    public Optional<HttpAnswer.Denied> refusal() {
        return refusal;
    }

    /** Whether closing it gives anything back. */
    boolean holdsSlots() {
        return !slots.isEmpty();
    }

    /** Says that the request is done. */
    @Override
    public void close() {
        slots.forEach(Slot::close);
    }
}
