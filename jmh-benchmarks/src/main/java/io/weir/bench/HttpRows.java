package io.weir.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Requests in process ({@link FilterBenchmark}) and over HTTP ({@link HttpBenchmark}), beside no limiter. */
final class HttpRows {

    /** The column that the others are put in relation to. */
    static final String NONE = "no limiter";

    private HttpRows() {}

    /** How the column of a peer is called. */
    static String column(ServletPeer peer, Owner owner, Outcome outcome) {
        String whose = peer.text() + (owner == Owner.CALLER ? ", own key" : "");
        return whose + (outcome == Outcome.GRANTED ? ", granted" : ", denied");
    }

    /** One client, one key, and a filter that is called directly. */
    static Row inProcess() {
        List<Row.Entry> entries = new ArrayList<>();
        entries.add(inProcess(NONE, ServletPeer.NONE, Owner.ANOTHER, Outcome.GRANTED));
        for (Outcome outcome : Outcome.values()) {
            for (ServletPeer peer : List.of(ServletPeer.WEIR, ServletPeer.BUCKET4J)) {
                entries.add(inProcess(column(peer, Owner.ANOTHER, outcome), peer, Owner.ANOTHER, outcome));
            }
            String own = column(ServletPeer.BUCKET4J, Owner.CALLER, outcome);
            entries.add(inProcess(own, ServletPeer.BUCKET4J, Owner.CALLER, outcome));
        }
        return new Row("in process", true, 1, entries);
    }

    private static Row.Entry inProcess(String column, ServletPeer peer, Owner owner, Outcome outcome) {
        Map<String, String> params = Map.of("peer", peer.name(), "outcome", outcome.name(), "owner", owner.name());
        return new Row.Entry(column, FilterBenchmark.class, "request", params);
    }

    /** Clients with a connection and a key each. */
    static Row overHttp() {
        return overHttp(Outcome.values());
    }

    /** The same without those that are denied. */
    static Row grantedOverHttp() {
        return overHttp(Outcome.GRANTED);
    }

    private static Row overHttp(Outcome... outcomes) {
        List<Row.Entry> entries = new ArrayList<>();
        entries.add(overHttp(NONE, ServletPeer.NONE, Outcome.GRANTED));
        for (Outcome outcome : outcomes) {
            for (ServletPeer peer : List.of(ServletPeer.WEIR, ServletPeer.BUCKET4J)) {
                entries.add(overHttp(column(peer, Owner.ANOTHER, outcome), peer, outcome));
            }
        }
        return new Row("over HTTP", true, HttpBenchmark.CLIENTS, entries);
    }

    private static Row.Entry overHttp(String column, ServletPeer peer, Outcome outcome) {
        Map<String, String> params = Map.of("peer", peer.name(), "outcome", outcome.name());
        return new Row.Entry(column, HttpBenchmark.class, "request", params);
    }
}
