package io.weir.chaos;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Something that happens to a cluster under load.
 *
 * @param name what happens, in few words
 * @param row of the table of bounds that promises something for it
 * @param lasts for how long it goes on before it ends; zero if it happens at once, and nothing is to be ended
 * @param begin makes it happen
 * @param end ends it
 * @param traits what there is to know about it
 * @param ownerAhead by how much the clock of the member that owns the hot keys is turned, from its start
 * @param weather that it needs the network to make
 */
record Fault(
        String name,
        Row row,
        Duration lasts,
        Consumer<Stage> begin,
        Consumer<Stage> end,
        Set<Trait> traits,
        Duration ownerAhead,
        Weather weather) {

    /** What there is to know about a fault. */
    enum Trait {
        /** The member that owns the hot keys is the oldest one, and not the second. */
        OF_MASTER,

        /** There is one member more, so that those who are left of two fewer are no minority. */
        OF_FOUR,

        /** There is a client too. */
        WITH_CLIENT,

        /** The owner of the hot keys does nothing meanwhile, and cannot be blamed for being slow. */
        FREEZES_OWNER,

        /** The client, or where there is none the owner of the hot keys, is left alone and must go on by its share. */
        LEAVES_ALONE,

        /** Nobody is left who could decide. */
        IS_FOREVER
    }

    /** Something that goes on for a while. */
    static Fault lasting(String name, Row row, Duration lasts, Consumer<Stage> begin, Consumer<Stage> end) {
        return new Fault(name, row, lasts, begin, end, Set.of(), Duration.ZERO, Weather.SILENT);
    }

    /** Something of a moment. */
    static Fault atOnce(String name, Row row, Consumer<Stage> begin) {
        return lasting(name, row, Duration.ZERO, begin, stage -> {});
    }

    /** How many processes limit when it begins, and so divide a limit among them: members and clients. */
    int nodes() {
        return Row.MEMBERS + (is(Trait.OF_FOUR) ? 1 : 0) + (is(Trait.WITH_CLIENT) ? 1 : 0);
    }

    boolean is(Trait trait) {
        return traits.contains(trait);
    }

    Fault with(Trait... more) {
        Set<Trait> all = new HashSet<>(traits);
        all.addAll(Set.of(more));
        return new Fault(name, row, lasts, begin, end, all, ownerAhead, weather);
    }

    /** With the clock of the owner of the hot keys turned. */
    Fault ahead(Duration skew) {
        return new Fault(name, row, lasts, begin, end, traits, skew, weather);
    }

    /** Where the network can make such weather. */
    Fault in(Weather needed) {
        return new Fault(name, row, lasts, begin, end, traits, ownerAhead, needed);
    }

    @Override
    public String toString() {
        return name;
    }
}
