package io.weir.console;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.weir.algorithm.Bandwidth;
import io.weir.console.NodeNote.KeyLine;
import io.weir.console.Snapshot.MemberLine;
import io.weir.console.Snapshot.MergedLimit;
import io.weir.console.Snapshot.PenaltyLine;
import io.weir.console.Snapshot.Rates;
import io.weir.console.Snapshot.State;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Writes a {@link Snapshot} as the page reads it; {@code docs/console.md} shows it. What is not known is null. */
final class SnapshotJson {

    private static final JsonFactory JSON = new JsonFactory();

    private final JsonGenerator json;

    private SnapshotJson(JsonGenerator json) {
        this.json = json;
    }

    /** The part of it that is asked for, in UTF-8. */
    static byte[] bytes(Snapshot snapshot, DataQuery query) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(4_096);
        try (JsonGenerator json = JSON.createGenerator(out)) {
            new SnapshotJson(json).write(snapshot, query);
        } catch (IOException e) { // memory does not throw it
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private void write(Snapshot snapshot, DataQuery query) throws IOException {
        json.writeStartObject();
        json.writeStringField("node", snapshot.node());
        json.writeStringField("time", snapshot.time().toString());
        json.writeNumberField("tick", snapshot.tick());
        cluster(snapshot);
        limits(snapshot, query);
        penalties(snapshot.penalties());
        quotas(snapshot.quotas());
        json.writeEndObject();
    }

    private void cluster(Snapshot snapshot) throws IOException {
        json.writeObjectFieldStart("cluster");
        json.writeStringField("state", state(!snapshot.exact()));
        json.writeNumberField(
                "nodes",
                snapshot.members().stream()
                        .filter(each -> each.state() != State.LEFT)
                        .count());
        json.writeNumberField("reporting", snapshot.reporting());
        json.writeNumberField("behindSeconds", snapshot.behindSeconds());
        json.writeArrayFieldStart("members");
        for (MemberLine each : snapshot.members()) {
            json.writeStartObject();
            json.writeStringField("name", each.name());
            json.writeBooleanField("here", each.here());
            json.writeStringField("state", each.state().name());
            if (each.seconds().isPresent()) {
                json.writeNumberField("seconds", each.seconds().getAsLong());
            } else {
                json.writeNullField("seconds");
            }
            text("why", each.why());
            number("fallbackSeconds", each.fallbackSeconds());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void limits(Snapshot snapshot, DataQuery query) throws IOException {
        List<MergedLimit> matching = snapshot.limits().stream()
                .filter(each -> query.matches(each.name()))
                .toList();
        json.writeObjectFieldStart("limits");
        json.writeNumberField("total", snapshot.limitsInAll());
        json.writeNumberField("matching", matching.size());
        json.writeNumberField("degraded", count(snapshot, MergedLimit::degraded));
        json.writeNumberField("off", count(snapshot, each -> !each.on()));
        json.writeNumberField("differing", count(snapshot, MergedLimit::differs));
        json.writeNumberField("dropped", snapshot.dropped());
        json.writeBooleanField("keysDropped", snapshot.keysDropped());
        json.writeArrayFieldStart("list");
        for (MergedLimit each : matching.subList(0, Math.min(query.limits(), matching.size()))) {
            limit(each);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Also of limits that are not asked for: whoever looks for one is told if there is something wrong with others. */
    private static long count(Snapshot snapshot, Predicate<MergedLimit> what) {
        return snapshot.limits().stream().filter(what).count();
    }

    private void limit(MergedLimit limit) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", limit.name());
        json.writeStringField("algorithm", limit.line().algorithm());
        json.writeStringField("policy", limit.line().policy());
        json.writeNumberField("version", limit.line().version());
        json.writeBooleanField("on", limit.on());
        json.writeBooleanField("exact", limit.line().exact());
        json.writeBooleanField("shadow", limit.line().shadow());
        text("shadowOf", limit.line().shadowOf());
        json.writeBooleanField("differs", limit.differs());
        json.writeArrayFieldStart("bandwidths");
        for (Bandwidth each : limit.bandwidths()) {
            json.writeStartObject();
            json.writeStringField("name", each.name());
            json.writeNumberField("capacity", each.capacity());
            json.writeNumberField("refill", each.refill());
            json.writeStringField("period", each.period().toString());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeStringField("state", state(limit.degraded()));
        text("why", limit.why());
        number("fallbackSeconds", OptionalDouble.of(limit.fallbackSeconds()));
        json.writeNumberField("answeredByPolicy", limit.answeredByPolicy());
        rates(limit.rates());
        json.writeObjectFieldStart("total");
        json.writeNumberField("granted", limit.granted());
        json.writeNumberField("denied", limit.denied());
        json.writeNumberField("never", limit.never());
        json.writeEndObject();
        json.writeObjectFieldStart("sources");
        for (int i = 0; i < Tally.SOURCES.size(); i++) {
            number(Tally.SOURCES.get(i).name(), limit.rates().bySource().get(i));
        }
        json.writeEndObject();
        number("headroom", limit.headroom());
        json.writeArrayFieldStart("busiest");
        for (KeyLine each : limit.busiest()) {
            json.writeStartObject();
            json.writeStringField("key", each.key());
            json.writeNumberField("asked", each.asked());
            json.writeNumberField("denied", each.denied());
            number("headroom", each.headroom());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void rates(Rates rates) throws IOException {
        json.writeObjectFieldStart("rate");
        number("granted", rates.granted());
        number("denied", rates.denied());
        number("never", rates.never());
        json.writeEndObject();
    }

    private void penalties(List<PenaltyLine> penalties) throws IOException {
        json.writeArrayFieldStart("penalties");
        for (PenaltyLine each : penalties) {
            json.writeStartObject();
            json.writeStringField("limit", each.limit());
            json.writeStringField("key", each.key());
            json.writeStringField("until", each.until().toString());
            json.writeNumberField("level", each.level());
            json.writeStringField("reason", each.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void quotas(List<QuotaLine> quotas) throws IOException {
        json.writeArrayFieldStart("quotas");
        for (QuotaLine each : quotas) {
            json.writeStartObject();
            json.writeStringField("name", Shown.text(each.name()));
            json.writeNumberField("cap", each.cap());
            text("unit", Shown.textOrNull(each.unit()));
            json.writeStringField("period", Shown.text(each.period()));
            json.writeStringField("zone", Shown.text(each.zone()));
            json.writeStringField("resetsAt", each.resetsAt().toString());
            json.writeStringField("policy", Shown.text(each.policy()));
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static String state(boolean degraded) {
        return degraded ? "DEGRADED" : "EXACT";
    }

    private void text(String name, @Nullable String text) throws IOException {
        if (text == null) {
            json.writeNullField(name);
        } else {
            json.writeStringField(name, text);
        }
    }

    /** To a thousandth. */
    private void number(String name, OptionalDouble number) throws IOException {
        if (number.isEmpty()) {
            json.writeNullField(name);
        } else {
            json.writeNumberField(name, Math.round(number.getAsDouble() * 1e3) / 1e3);
        }
    }
}
