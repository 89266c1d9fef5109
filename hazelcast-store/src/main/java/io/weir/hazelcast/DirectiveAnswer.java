package io.weir.hazelcast;

import io.weir.store.Directive;
import io.weir.store.DirectiveTable;
import io.weir.store.Directives.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** What the owner of the table of directives answers. Immutable. */
final class DirectiveAnswer extends Wire {

    /** An outcome's code is its place here, whatever becomes of the enum. */
    private static final List<Outcome> OUTCOMES = List.of(Outcome.ACCEPTED, Outcome.CONFLICT, Outcome.FULL);

    private static final UUID NO_LINE = new UUID(0, 0);

    private boolean fromOwner;
    private UUID line;
    private long revision;
    private long ownerNanos;
    private boolean complete;
    private List<Outcome> outcomes;
    private List<Directive> directives;

    private DirectiveAnswer(
            boolean fromOwner,
            UUID line,
            long revision,
            long ownerNanos,
            boolean complete,
            List<Outcome> outcomes,
            List<Directive> directives) {
        this.fromOwner = fromOwner;
        this.line = line;
        this.revision = revision;
        this.ownerNanos = ownerNanos;
        this.complete = complete;
        this.outcomes = outcomes;
        this.directives = directives;
    }

    /** For reading from the wire. */
    DirectiveAnswer() {
        this(false, NO_LINE, 0, 0, false, List.of(), List.of());
    }

    /**
     * An answer.
     *
     * @param table as it is now
     * @param news what the node did not know of it
     * @param outcomes of what the node offered, in order
     * @param ownerNanos the owner's time
     */
    static DirectiveAnswer of(DirectiveTable table, DirectiveTable.News news, List<Outcome> outcomes, long ownerNanos) {
        return new DirectiveAnswer(
                true,
                table.line(),
                table.revision(),
                ownerNanos,
                news.complete(),
                List.copyOf(outcomes),
                List.copyOf(news.directives()));
    }

    /** Of a member that slept, and does not know whether the table is still its own. */
    static DirectiveAnswer notOwner() {
        return new DirectiveAnswer();
    }

    /** False if whoever was asked may not speak for the table; all else says nothing then. */
    boolean isFromOwner() {
        return fromOwner;
    }

    UUID line() {
        return line;
    }

    long revision() {
        return revision;
    }

    long ownerNanos() {
        return ownerNanos;
    }

    /** Whether {@link #directives} are all there are, rather than what has changed. */
    boolean isComplete() {
        return complete;
    }

    List<Outcome> outcomes() {
        return outcomes;
    }

    List<Directive> directives() {
        return directives;
    }

    @Override
    public int getClassId() {
        return DIRECTIVE_ANSWER;
    }

    @Override
    void write(FrameWriter out) {
        out.putByte(fromOwner ? 1 : 0);
        out.putUuid(line);
        out.putLong(revision);
        out.putLong(ownerNanos);
        out.putByte(complete ? 1 : 0);
        out.putShort(outcomes.size());
        outcomes.forEach(each -> out.putByte(OUTCOMES.indexOf(each)));
        DirectiveFrame.put(out, directives);
    }

    @Override
    void read(FrameReader in) {
        fromOwner = in.getByte() != 0;
        line = in.getUuid();
        revision = in.getLong();
        ownerNanos = in.getLong();
        complete = in.getByte() != 0;
        int count = in.getShort();
        List<Outcome> read = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            read.add(OUTCOMES.get(in.getByte()));
        }
        outcomes = List.copyOf(read);
        directives = DirectiveFrame.getList(in);
    }
}
