package io.weir.chaos;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

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

    /** Long enough to be removed. */
    private static final Duration PAUSE = Duration.ofSeconds(9);

    private static final Duration CUT = Duration.ofSeconds(10);

    /** Long enough for a member that woke to take itself for the only one, if it may. */
    private static final Duration LONG_CUT = Duration.ofSeconds(16);

    private static final Duration SKEW = Duration.ofSeconds(3);
    private static final Weather SLOW = Weather.slow(Duration.ofMillis(15));
    private static final Weather LOSSY = Weather.lossy(5);
    /** All of them; names are unique. */
    static List<Fault> all() {
        return List.of(
                lasting("nothing", Row.HEALTHY, Duration.ofSeconds(4), stage -> {}, stage -> {}),
                atOnce("owner killed", Row.OWNER_CHANGES, stage -> stage.owner().kill()),
                atOnce(
                        "backup killed",
                        Row.OWNER_CHANGES,
                        stage -> stage.backup().kill()),
                atOnce("owner and backup killed", Row.ALL_COPIES_LOST, Fault::killOwnerAndBackup)
                        .with(Trait.OF_FOUR),
                lasting(
                        "two of three killed, others come",
                        Row.ALL_COPIES_LOST,
                        Duration.ofSeconds(2),
                        Fault::killOwnerAndBackup,
                        Fault::addMembers),
                atOnce(
                                "master killed",
                                Row.OWNER_CHANGES,
                                stage -> stage.owner().kill())
                        .with(Trait.OF_MASTER),
                paused("owner paused"),
                paused("master paused").with(Trait.OF_MASTER),
                lasting(
                                "owner paused, wakes up cut off",
                                Row.OWNER_PAUSED,
                                LONG_CUT,
                                Fault::pauseAndCutOff,
                                Fault::heal)
                        .with(Trait.FREEZES_OWNER),
                cutOff("owner cut off silently", Weather.SILENT),
                cutOff("owner cut off with resets", Weather.RESETTING),
                cutOff("master cut off silently", Weather.SILENT).with(Trait.OF_MASTER),
                cutOff("master cut off with resets", Weather.RESETTING).with(Trait.OF_MASTER),
                oneWay(
                        "one way cut from master to owner",
                        stage -> new Link(stage.master().number(), stage.owner().number())),
                oneWay(
                        "one way cut from owner to third member",
                        stage -> new Link(stage.owner().number(), stage.third().number())),
                shaped("slow link", SLOW),
                shaped("lossy link", LOSSY),
                atOnce("rolling restart", Row.OWNER_CHANGES, Fault::restartAll),
                atOnce("member joins", Row.OWNER_CHANGES, Stage::addMember),
                atOnce(
                                "member's clock ahead, killed",
                                Row.OWNER_CHANGES,
                                stage -> stage.owner().kill())
                        .ahead(SKEW),
                atOnce(
                                "master's clock ahead, killed",
                                Row.OWNER_CHANGES,
                                stage -> stage.owner().kill())
                        .with(Trait.OF_MASTER)
                        .ahead(SKEW),
                atOnce(
                                "master's clock behind, killed",
                                Row.OWNER_CHANGES,
                                stage -> stage.owner().kill())
                        .with(Trait.OF_MASTER)
                        .ahead(SKEW.negated()),
                shaped(
                        "owner killed on a lossy link",
                        LOSSY,
                        stage -> stage.owner().kill()),
                lasting(
                                "owner paused, third member cut off",
                                Row.PARTITION,
                                PAUSE,
                                stage -> {
                                    stage.owner().pause();
                                    stage.cutOff(stage.third(), Weather.SILENT);
                                },
                                stage -> {
                                    stage.owner().resume();
                                    heal(stage);
                                })
                        .with(Trait.FREEZES_OWNER),
                lasting(
                                "client cut off",
                                Row.CLIENT_CUT_OFF,
                                CUT,
                                stage -> stage.cutOff(stage.client(), Weather.SILENT),
                                Fault::heal)
                        .with(Trait.WITH_CLIENT, Trait.LEAVES_ALONE),
                lasting(
                                "all members of a client killed",
                                Row.ALL_COPIES_LOST,
                                Duration.ofSeconds(5),
                                Fault::killMembers,
                                stage -> {})
                        .with(Trait.WITH_CLIENT, Trait.LEAVES_ALONE, Trait.IS_FOREVER));
    }

    private static Fault lasting(String name, Row row, Duration lasts, Consumer<Stage> begin, Consumer<Stage> end) {
        return new Fault(name, row, lasts, begin, end, Set.of(), Duration.ZERO, Weather.SILENT);
    }

    private static Fault atOnce(String name, Row row, Consumer<Stage> begin) {
        return lasting(name, row, Duration.ZERO, begin, stage -> {});
    }

    private static Fault paused(String name) {
        return lasting(
                        name,
                        Row.OWNER_PAUSED,
                        PAUSE,
                        stage -> stage.owner().pause(),
                        stage -> stage.owner().resume())
                .with(Trait.FREEZES_OWNER);
    }

    private static Fault cutOff(String name, Weather weather) {
        return lasting(name, Row.PARTITION, CUT, stage -> stage.cutOff(stage.owner(), weather), Fault::heal)
                .with(Trait.LEAVES_ALONE);
    }

    private static Fault oneWay(String name, Function<Stage, Link> link) {
        return lasting(
                name,
                Row.PARTITION,
                CUT,
                stage -> stage.cluster().network().set(link.apply(stage), Weather.SILENT),
                Fault::heal);
    }

    private static Fault shaped(String name, Weather weather) {
        return shaped(name, weather, stage -> {});
    }

    private static Fault shaped(String name, Weather weather, Consumer<Stage> more) {
        return lasting(
                        name,
                        Row.OWNER_CHANGES,
                        Duration.ofSeconds(6),
                        stage -> {
                            stage.cutOff(stage.owner(), weather);
                            stage.cutOff(stage.third(), weather);
                            more.accept(stage);
                        },
                        Fault::heal)
                .in(weather);
    }

    private static void heal(Stage stage) {
        stage.cluster().network().heal();
    }

    /** It finds nobody who could tell it that it was removed. */
    private static void pauseAndCutOff(Stage stage) {
        stage.owner().pause();
        Waits.pause(PAUSE);
        stage.cutOff(stage.owner(), Weather.SILENT);
        stage.owner().resume();
    }

    private static void killOwnerAndBackup(Stage stage) {
        stage.owner().kill();
        stage.backup().kill();
    }

    /** One that is left of three is no majority, and two who come make it one. */
    private static void addMembers(Stage stage) {
        stage.addMember();
        stage.addMember();
    }

    private static void restartAll(Stage stage) {
        for (MemberProcess each : List.copyOf(stage.cluster().alive())) {
            stage.addMember();
            stage.cluster().awaitSafe();
            each.stopLoads();
            each.leave();
            stage.cluster().awaitSafe();
        }
    }

    private static void killMembers(Stage stage) {
        stage.cluster().alive().stream()
                .filter(each -> each.role() != Role.CLIENT)
                .forEach(MemberProcess::kill);
    }

    boolean is(Trait trait) {
        return traits.contains(trait);
    }

    private Fault with(Trait... more) {
        Set<Trait> all = new HashSet<>(traits);
        all.addAll(Set.of(more));
        return new Fault(name, row, lasts, begin, end, all, ownerAhead, weather);
    }

    private Fault ahead(Duration skew) {
        return new Fault(name, row, lasts, begin, end, traits, skew, weather);
    }

    private Fault in(Weather needed) {
        return new Fault(name, row, lasts, begin, end, traits, ownerAhead, needed);
    }

    @Override
    public String toString() {
        return name;
    }
}
