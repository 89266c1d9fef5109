package io.weir.bench;

import io.weir.bench.RatioTable.Cell;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * What filters add to a request in process: what a request takes through a filter, less what it takes without one.
 *
 * @param cells by the columns of {@link HttpRows#inProcess()}
 */
record FilterCosts(Map<String, Cell> cells) {

    /** The most that a grant may add, as a part of what the cheapest grant of the peer adds. */
    private static final double PART = 0.2;

    /** What a filter adds. */
    Cell added(ServletPeer peer, Owner owner, Outcome outcome) {
        Cell with = cell(HttpRows.column(peer, owner, outcome));
        Cell without = cell(HttpRows.NONE);
        return new Cell(with.nanos() - without.nanos(), with.bytes() - without.bytes(), 1);
    }

    /** What Weir's filter adds to a grant, as a part of what the peer's adds at its best: if the caller owns the key. */
    double part() {
        double best = Math.min(
                added(ServletPeer.BUCKET4J, Owner.ANOTHER, Outcome.GRANTED).nanos(),
                added(ServletPeer.BUCKET4J, Owner.CALLER, Outcome.GRANTED).nanos());
        return added(ServletPeer.WEIR, Owner.ANOTHER, Outcome.GRANTED).nanos() / best;
    }

    /** What Weir's filter adds to a denial, as a part of what it adds to a grant. */
    double denialPart() {
        return added(ServletPeer.WEIR, Owner.ANOTHER, Outcome.DENIED).nanos()
                / added(ServletPeer.WEIR, Owner.ANOTHER, Outcome.GRANTED).nanos();
    }

    boolean met() {
        return part() <= PART && denialPart() <= 1;
    }

    /** A table, readable as text too. */
    String markdown() {
        StringBuilder table = new StringBuilder(
                        "| added to a request, in process | Weir | bucket4j | bucket4j, own key |\n")
                .append("|---|---|---|---|\n");
        for (Outcome outcome : Outcome.values()) {
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %s | %s |%n",
                    outcome.name().toLowerCase(Locale.ROOT),
                    added(ServletPeer.WEIR, Owner.ANOTHER, outcome),
                    added(ServletPeer.BUCKET4J, Owner.ANOTHER, outcome),
                    added(ServletPeer.BUCKET4J, Owner.CALLER, outcome)));
        }
        return table.toString();
    }

    private Cell cell(String column) {
        return Objects.requireNonNull(cells.get(column), column);
    }
}
