package io.weir.examples.llm;

import io.weir.quota.Charge;
import io.weir.quota.Period;
import io.weir.quota.Quota;
import java.time.ZoneId;
import java.util.List;

/**
 * How many tokens a key, a team and a company have in a month.
 *
 * @param key of each API key
 * @param team of all keys of a team together
 * @param company of all teams of a company together
 */
record Budgets(Quota key, Quota team, Quota company) {

    /** The caps of each; what a stream costs beyond its estimate may go {@code debt} tokens beyond them. */
    static Budgets monthly(long key, long team, long company, long debt) {
        return new Budgets(tokens("key", key, debt), tokens("team", team, debt), tokens("company", company, debt));
    }

    private static Quota tokens(String name, long cap, long debt) {
        return Quota.named(name)
                .cap(cap)
                .unit("tokens")
                .period(Period.month(ZoneId.of("UTC")))
                .debt(debt)
                .build();
    }

    /** The same tokens of all three: a step of the ledger takes all of them, or none. */
    List<Charge> charges(Caller caller, long tokens) {
        return List.of(
                new Charge(key, caller.id(), tokens),
                new Charge(team, caller.team(), tokens),
                new Charge(company, caller.company(), tokens));
    }
}
