package io.weir.hazelcast;

import io.weir.store.DirectiveTable;
import java.util.UUID;

/** The table of directives as the one entry of a namespace's map holds it. Immutable. */
final class StoredDirectives extends Wire {

    private DirectiveTable table;

    StoredDirectives(DirectiveTable table) {
        this.table = table;
    }

    /** For reading from the wire. */
    StoredDirectives() {
        this(DirectiveTable.empty(new UUID(0, 0)));
    }

    DirectiveTable table() {
        return table;
    }

    @Override
    public int getClassId() {
        return STORED_DIRECTIVES;
    }

    @Override
    void write(FrameWriter out) {
        DirectiveFrame.put(out, table);
    }

    @Override
    void read(FrameReader in) {
        table = DirectiveFrame.getTable(in);
    }

    @Override
    public String toString() {
        return "StoredDirectives[" + table + "]";
    }
}
