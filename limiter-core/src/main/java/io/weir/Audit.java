package io.weir;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.store.Directive;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One line for each change that somebody made, in the log {@code io.weir.audit}. What comes from outside is cut, and escaped so
 * that it can neither end its line nor its quotes.
 */
final class Audit {

    private static final System.Logger LOG = System.getLogger("io.weir.audit");

    private static final int SHOWN_OF_A_KEY = 64;

    private static final int SHOWN_OF_A_PROBLEM = 300;

    private Audit() {}

    /** A directive was published. */
    static void published(Directive directive) {
        log(line(directive));
    }

    /** A key's bucket was filled. */
    static void reset(String actor, String limit, String key) {
        log("reset limit=" + limit + " key=" + quoted(key, SHOWN_OF_A_KEY) + " by="
                + quoted(actor, Directive.MAX_ACTOR));
    }

    /** A key was pardoned: it has no strikes any more, and what it had to cool down for is forgotten. */
    static void pardon(String actor, String limit, String key) {
        log("pardon limit=" + limit + " key=" + quoted(key, SHOWN_OF_A_KEY) + " by="
                + quoted(actor, Directive.MAX_ACTOR));
    }

    private static void log(String line) {
        LOG.log(System.Logger.Level.INFO, line);
    }

    /** What a directive says, in one line. */
    static String line(Directive directive) {
        Directive.Id id = directive.id();
        String about = id.kind() == Directive.Kind.DEFINITION ? "" : " key=" + quoted(id.key(), SHOWN_OF_A_KEY);
        return verb(directive) + " limit=" + id.limit() + about + " version=" + directive.version()
                + said(directive.content()) + " by=" + quoted(directive.actor(), Directive.MAX_ACTOR);
    }

    private static String verb(Directive directive) {
        return switch (directive.id().kind()) {
            case DEFINITION -> directive.isWithdrawn() ? "remove" : "define";
            case OVERRIDE -> directive.isWithdrawn() ? "clear-override" : "override";
            case BLOCK -> directive.isWithdrawn() ? "unblock" : "block";
        };
    }

    private static String said(Directive.Content content) {
        if (content instanceof Directive.Definition definition) {
            return " numbers=" + numbers(definition.rule());
        }
        if (content instanceof Directive.KeyNumbers of) {
            return " numbers=" + numbers(of.rule());
        }
        return content instanceof Directive.Block block
                ? " until=" + block.endMillis() + (block.level() > 0 ? " level=" + block.level() : "") + " reason="
                        + quoted(block.reason(), Directive.MAX_REASON)
                : "";
    }

    private static String numbers(Rule rule) {
        List<Bandwidth> bandwidths = rule.algorithm().bandwidths();
        return bandwidths.stream()
                .map(each -> each.name() + ":" + each.capacity() + "+" + each.refill() + "/" + each.period())
                .collect(Collectors.joining(",", "[", "]"));
    }

    /** A key, for a message to whoever wrote it: in the same form. */
    static String key(String key) {
        return quoted(key, SHOWN_OF_A_KEY);
    }

    /** What went wrong, in the same form. */
    static String problem(RuntimeException problem) {
        return quoted(String.valueOf(problem.getMessage()), SHOWN_OF_A_PROBLEM);
    }

    /** Printable ASCII as it is, all else by its code; no more than a line can take. */
    private static String quoted(String text, int most) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < Math.min(most, text.length()); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~' || c == '"' || c == '\\') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        quoted.append('"');
        return text.length() > most ? quoted + "(of " + text.length() + ")" : quoted.toString();
    }
}
