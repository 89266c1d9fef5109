package io.weir.hazelcast;

import com.hazelcast.nio.serialization.HazelcastSerializationException;
import io.weir.algorithm.Penalty;
import io.weir.algorithm.Rule;
import io.weir.store.Directive;
import io.weir.store.DirectiveTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Directives, and their table, as part of a frame. */
final class DirectiveFrame {

    private static final int EXACT = 1;
    private static final int DEBT = 2;
    private static final int SHADOW = 4;
    private static final int SHADOW_OF = 8;
    private static final int PENALTY = 16;

    private static final int DEFINITION = 0;
    private static final int KEY_NUMBERS = 1;
    private static final int BLOCK = 2;
    private static final int WITHDRAWN = 3;

    /** A block with a level: what does not know it must not take it for one that somebody set. */
    private static final int COOL_DOWN = 4;

    /** A kind's code is its place here, whatever becomes of the enum. */
    private static final List<Directive.Kind> KINDS =
            List.of(Directive.Kind.DEFINITION, Directive.Kind.OVERRIDE, Directive.Kind.BLOCK);

    private DirectiveFrame() {}

    static void put(FrameWriter out, Directive directive) {
        out.putByte(KINDS.indexOf(directive.id().kind()));
        out.putText(directive.id().limit());
        out.putText(directive.id().key());
        out.putLong(directive.version());
        out.putText(directive.actor());
        out.putLong(directive.setMillis());
        Directive.Content content = directive.content();
        if (content instanceof Directive.Definition definition) {
            out.putByte(DEFINITION);
            out.putRule(definition.rule());
            out.putText(definition.failurePolicy());
            out.putLong(definition.deadlineNanos());
            putOptions(out, definition);
        } else if (content instanceof Directive.KeyNumbers numbers) {
            out.putByte(KEY_NUMBERS);
            out.putRule(numbers.rule());
        } else if (content instanceof Directive.Block block) {
            out.putByte(block.level() > 0 ? COOL_DOWN : BLOCK);
            out.putLong(block.endMillis());
            out.putText(block.reason());
            if (block.level() > 0) {
                out.putLong(block.level());
                out.putLong(block.forgivenMillis());
            }
        } else {
            out.putByte(WITHDRAWN);
        }
    }

    static Directive get(FrameReader in) {
        int kind = in.getByte();
        if (kind >= KINDS.size()) {
            throw unknown("directives of kind " + kind);
        }
        Directive.Id id = new Directive.Id(KINDS.get(kind), in.getText(), in.getText());
        long version = in.getLong();
        String actor = in.getText();
        long setMillis = in.getLong();
        return new Directive(id, version, content(in), actor, setMillis);
    }

    private static Directive.Content content(FrameReader in) {
        int code = in.getByte();
        return switch (code) {
            case DEFINITION -> definition(in);
            case KEY_NUMBERS -> new Directive.KeyNumbers(in.getRule());
            case BLOCK -> new Directive.Block(in.getLong(), in.getText());
            case COOL_DOWN ->
                new Directive.Block(in.getLong(), in.getText(), Math.toIntExact(in.getLong()), in.getLong());
            case WITHDRAWN -> new Directive.Withdrawn();
            default -> throw unknown("directives that say " + code);
        };
    }

    /** A bit for each, and behind them what comes with one. */
    private static void putOptions(FrameWriter out, Directive.Definition definition) {
        String shadowOf = definition.shadowOf();
        Penalty penalty = definition.penalty();
        out.putByte((definition.exact() ? EXACT : 0)
                | (definition.debt() > 0 ? DEBT : 0)
                | (definition.shadow() ? SHADOW : 0)
                | (shadowOf != null ? SHADOW_OF : 0)
                | (penalty != null ? PENALTY : 0));
        if (definition.debt() > 0) {
            out.putLong(definition.debt());
        }
        if (shadowOf != null) {
            out.putText(shadowOf);
        }
        if (penalty != null) {
            out.putLong(penalty.strikes());
            out.putLong(penalty.per().toNanos());
            out.putLong(penalty.first().toNanos());
            out.putLong(penalty.longest().toNanos());
            out.putLong(penalty.forgivenAfter().toNanos());
        }
    }

    private static Directive.Definition definition(FrameReader in) {
        Rule rule = in.getRule();
        String policy = in.getText();
        long deadlineNanos = in.getLong();
        int options = in.getByte();
        return new Directive.Definition(
                rule,
                policy,
                deadlineNanos,
                (options & EXACT) != 0,
                (options & DEBT) != 0 ? in.getLong() : 0,
                (options & SHADOW) != 0,
                (options & SHADOW_OF) != 0 ? in.getText() : null,
                (options & PENALTY) != 0 ? penalty(in) : null);
    }

    private static Penalty penalty(FrameReader in) {
        return new Penalty(in.getLong(), duration(in), duration(in), duration(in), duration(in));
    }

    private static Duration duration(FrameReader in) {
        return Duration.ofNanos(in.getLong());
    }

    private static HazelcastSerializationException unknown(String what) {
        return new HazelcastSerializationException(
                "this version of Weir does not know " + what + ": upgrade this node before others use them");
    }

    static void put(FrameWriter out, List<Directive> directives) {
        out.putShort(directives.size());
        directives.forEach(each -> put(out, each));
    }

    static List<Directive> getList(FrameReader in) {
        int count = in.getShort();
        List<Directive> read = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            read.add(get(in));
        }
        return List.copyOf(read);
    }

    static void put(FrameWriter out, DirectiveTable table) {
        out.putUuid(table.line());
        out.putLong(table.revision());
        out.putLong(table.forgotten());
        out.putShort(table.entries().size());
        for (DirectiveTable.Entry each : table.entries()) {
            out.putLong(each.revision());
            put(out, each.directive());
        }
    }

    static DirectiveTable getTable(FrameReader in) {
        var line = in.getUuid();
        long revision = in.getLong();
        long forgotten = in.getLong();
        int count = in.getShort();
        List<DirectiveTable.Entry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            long changed = in.getLong();
            entries.add(new DirectiveTable.Entry(get(in), changed));
        }
        return DirectiveTable.restore(line, revision, forgotten, entries);
    }
}
