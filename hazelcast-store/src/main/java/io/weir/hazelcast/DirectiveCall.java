package io.weir.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.map.EntryProcessor;
import io.weir.store.Directive;
import io.weir.store.DirectiveTable;
import io.weir.store.Directives.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a node says to the owner of the table of directives: as of which change it knows the table, and what it would like to
 * have in it. The answer is what has changed since.
 *
 * <p>Said twice it changes nothing twice, since a directive takes the place only of one with a lower version.
 */
final class DirectiveCall extends Wire
        implements EntryProcessor<String, StoredDirectives, DirectiveAnswer>, HazelcastInstanceAware {

    private static final long serialVersionUID = 1L;

    private static final UUID NO_LINE = new UUID(0, 0);

    private transient UUID line;
    private transient long revision;
    private transient List<Directive> offered;

    /** On the way to the backup: when the owner decided, and the table that it then began, if it did. */
    private transient long decidedMillis;

    private transient UUID begun;

    private transient @Nullable HazelcastInstance hazelcast;

    /** While it runs on the owner: what the backup is to do. */
    private transient @Nullable DirectiveCall forBackup;

    /**
     * @param line the table that the node knows; null if none
     * @param revision as of which change
     * @param offered what it would like to have in it
     */
    DirectiveCall(@Nullable UUID line, long revision, List<Directive> offered) {
        this(line == null ? NO_LINE : line, revision, offered, 0, NO_LINE);
    }

    private DirectiveCall(UUID line, long revision, List<Directive> offered, long decidedMillis, UUID begun) {
        this.line = line;
        this.revision = revision;
        this.offered = List.copyOf(offered);
        this.decidedMillis = decidedMillis;
        this.begun = begun;
    }

    /** For reading from the wire. */
    DirectiveCall() {
        this(NO_LINE, 0, List.of(), 0, NO_LINE);
    }

    @Override
    public void setHazelcastInstance(HazelcastInstance instance) {
        this.hazelcast = instance;
    }

    @Override
    public DirectiveAnswer process(Map.Entry<String, StoredDirectives> entry) {
        forBackup = null; // Hazelcast may run one and the same object again
        boolean atBackup = !begun.equals(NO_LINE);
        Owner owner = Owner.of(Objects.requireNonNull(hazelcast, "not injected"));
        if (!atBackup && !owner.isAwake()) {
            return DirectiveAnswer.notOwner();
        }
        long nowNanos = owner.nowNanos();
        long nowMillis = atBackup ? decidedMillis : nowNanos / 1_000_000;
        StoredDirectives stored = entry.getValue();
        DirectiveTable before =
                stored != null ? stored.table() : DirectiveTable.empty(atBackup ? begun : UUID.randomUUID());
        DirectiveTable table = before;
        List<Outcome> outcomes = new ArrayList<>(offered.size());
        for (Directive each : offered) {
            DirectiveTable.Offered result = table.offer(each, nowMillis);
            table = result.table();
            outcomes.add(result.outcome());
        }
        if (table.revision() != before.revision()) {
            entry.setValue(new StoredDirectives(table));
            forBackup = at(nowMillis, before.line());
        }
        return DirectiveAnswer.of(table, table.since(line, revision), outcomes, nowNanos);
    }

    /**
     * The same for a backup. It goes by the owner's time and the owner's new table; what it makes of that is the same, at no
     * more than the cost of one directive on the way.
     */
    DirectiveCall at(long ownersMillis, UUID ownersLine) {
        return new DirectiveCall(line, revision, offered, ownersMillis, ownersLine);
    }

    @Override
    public @Nullable EntryProcessor<String, StoredDirectives, DirectiveAnswer> getBackupProcessor() {
        return forBackup;
    }

    @Override
    public int getClassId() {
        return DIRECTIVE_CALL;
    }

    @Override
    void write(FrameWriter out) {
        out.putUuid(line);
        out.putLong(revision);
        out.putLong(decidedMillis);
        out.putUuid(begun);
        DirectiveFrame.put(out, offered);
    }

    @Override
    void read(FrameReader in) {
        line = in.getUuid();
        revision = in.getLong();
        decidedMillis = in.getLong();
        begun = in.getUuid();
        offered = DirectiveFrame.getList(in);
    }
}
