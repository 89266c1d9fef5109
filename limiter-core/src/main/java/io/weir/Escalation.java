package io.weir;

import io.weir.algorithm.Penalty;
import io.weir.store.Directive;
import org.jspecify.annotations.Nullable;

/** Which cool-down follows what is said of a key. Pure. */
final class Escalation {

    private Escalation() {}

    /**
     * The cool-down of a key that has had too many strikes.
     *
     * @param present what is said of whether the key is blocked; null if nothing is
     * @param nowMillis on the clock of directives
     * @return null if it is blocked already, by whomever
     */
    static Directive.@Nullable Block next(Penalty penalty, @Nullable Directive present, long nowMillis) {
        Directive.Block last = present != null && present.content() instanceof Directive.Block block ? block : null;
        if (last != null && last.endMillis() > nowMillis) {
            return null;
        }
        int before = last != null && last.forgivenMillis() > nowMillis ? last.level() : 0;
        int level = Math.min(before, Directive.MAX_LEVEL - 1) + 1;
        long end = nowMillis + penalty.cooldown(level).toMillis();
        return new Directive.Block(
                end,
                "more than " + penalty.strikes() + " strikes in " + penalty.per() + ", cool-down " + level,
                level,
                end + penalty.forgivenAfter().toMillis());
    }
}
