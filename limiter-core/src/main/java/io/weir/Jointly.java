package io.weir;

import io.weir.algorithm.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Asks several limits for one request: all of them at once, since each has an owner of its own, so that it takes as long as
 * the slowest. What some have granted when others deny goes back off the caller's path.
 *
 * <p>There is no order in which they are asked, and so no two requests can block each other. For a moment a request that is
 * going to be denied holds permits that another is denied for the lack of, and that is over when they are back. What comes back late, after the bucket has refilled, can be granted
 * once more within the same span, as with any refund: within 4 s of it at most.
 */
final class Jointly {

    /** The most limits that one request asks. */
    static final int MOST = 32;

    private Jointly() {}

    static CompletableFuture<JointDecision> decide(List<Ask> asks) {
        requireDistinct(asks);
        List<Decision> known = knownDenials(asks);
        if (!known.isEmpty()) {
            return CompletableFuture.completedFuture(new JointDecision(known));
        }
        List<Part> parts = new ArrayList<>(asks.size());
        try {
            for (Ask ask : asks) {
                parts.add(ask.limiter().part(ask.key(), ask.permits()));
            }
        } catch (RuntimeException | Error e) { // a bug, of a store's say: those before it are not to stay charged
            parts.forEach(Jointly::undoOnceDecided);
            throw e;
        }
        CompletableFuture<?>[] all = parts.stream().map(Part::decision).toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(all).handle((done, bug) -> conclude(parts));
    }

    /** A limit that is known to deny makes it needless to charge the others, and to give back again. */
    private static List<Decision> knownDenials(List<Ask> asks) {
        List<Decision> denials = new ArrayList<>(0);
        for (Ask ask : asks) {
            Limiter limiter = ask.limiter();
            Decision denial = limiter.asking().knownDenial(ask.key(), ask.permits());
            if (denial != null && !denial.granted()) { // as a shadow's is
                limiter.askShadows(ask.key(), ask.permits()); // as for any other request that is counted
                limiter.conclude(ask.key(), denial);
                denials.add(denial);
            }
        }
        return denials;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // who asked is told of the bug
    private static void undoOnceDecided(Part part) {
        part.decision().thenRun(part::undo);
    }

    private static JointDecision conclude(List<Part> parts) {
        RuntimeException bug = null;
        List<Decision> decisions = new ArrayList<>(parts.size());
        List<Part> decided = new ArrayList<>(parts.size());
        for (Part part : parts) {
            try {
                decisions.add(part.decided());
                decided.add(part);
            } catch (RuntimeException e) {
                bug = e;
            }
        }
        if (bug != null) {
            decided.forEach(Part::undo);
            throw bug;
        }
        JointDecision joint = new JointDecision(decisions);
        for (Part part : parts) {
            if (!joint.granted()) {
                part.undo();
            }
            if (joint.granted() || part.decided().verdict() != Verdict.GRANTED) { // what went back was not granted
                part.conclude();
            }
        }
        return joint;
    }

    private static void requireDistinct(List<Ask> asks) {
        if (asks.isEmpty() || asks.size() > MOST) {
            throw new IllegalArgumentException(
                    "one decision asks 1 to " + MOST + " limits but was given " + asks.size());
        }
        for (int i = 1; i < asks.size(); i++) {
            Ask ask = asks.get(i);
            if (asks.subList(0, i).stream().anyMatch(ask::isOfTheSame)) {
                throw new IllegalArgumentException("limit \""
                        + ask.limiter().limit().name() + "\" is asked twice for one key: ask once, for the sum");
            }
        }
    }
}
