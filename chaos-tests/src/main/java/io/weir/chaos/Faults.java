package io.weir.chaos;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** Each {@link Fault} that the matrix makes. */
final class Faults {

    /** Long enough to be removed. */
    private static final Duration PAUSE = Duration.ofSeconds(9);

    private static final Duration CUT = Duration.ofSeconds(10);

    /** Long enough for a member that woke to take itself for the only one, if it may. */
    private static final Duration LONG_CUT = Duration.ofSeconds(16);

    private static final Duration SKEW = Duration.ofSeconds(3);
    private static final Weather SLOW = Weather.slow(Duration.ofMillis(15));
    private static final Weather LOSSY = Weather.lossy(5);

    private Faults() {}

    /** All of them; names are unique. */
    static List<Fault> all() {
        return List.of(
                Fault.lasting("nothing", Row.HEALTHY, Duration.ofSeconds(4), stage -> {}, stage -> {}),
                Fault.atOnce("owner killed", Row.OWNER_CHANGES, Faults::killOwner),
                Fault.atOnce(
                        "backup killed",
                        Row.OWNER_CHANGES,
                        stage -> stage.backup().kill()),
                Fault.atOnce("owner and backup killed", Row.ALL_COPIES_LOST, Faults::killOwnerAndBackup)
                        .with(Fault.Trait.OF_FOUR),
                Fault.lasting(
                        "two of three killed, and restarted",
                        Row.ALL_COPIES_LOST,
                        Duration.ofSeconds(2),
                        Faults::killOwnerAndBackup,
                        Stage::restartEnded),
                Fault.atOnce("master killed", Row.OWNER_CHANGES, Faults::killOwner)
                        .with(Fault.Trait.OF_MASTER),
                paused("owner paused"),
                paused("master paused").with(Fault.Trait.OF_MASTER),
                Fault.lasting(
                                "owner paused, wakes up cut off",
                                Row.OWNER_PAUSED,
                                LONG_CUT,
                                Faults::pauseAndCutOff,
                                Faults::heal)
                        .with(Fault.Trait.FREEZES_OWNER),
                cutOff("owner cut off silently", Weather.SILENT),
                cutOff("owner cut off with resets", Weather.RESETTING),
                cutOff("master cut off silently", Weather.SILENT).with(Fault.Trait.OF_MASTER),
                cutOff("master cut off with resets", Weather.RESETTING).with(Fault.Trait.OF_MASTER),
                oneWay(
                        "one way cut from master to owner",
                        stage -> new Link(stage.master().number(), stage.owner().number())),
                oneWay(
                        "one way cut from owner to third member",
                        stage -> new Link(stage.owner().number(), stage.third().number())),
                shaped("slow link", SLOW),
                shaped("lossy link", LOSSY),
                Fault.atOnce("rolling restart", Row.OWNER_CHANGES, Faults::restartAll),
                Fault.atOnce("member joins", Row.OWNER_CHANGES, Stage::addMember),
                Fault.atOnce("member's clock ahead, killed", Row.OWNER_CHANGES, Faults::killOwner)
                        .ahead(SKEW),
                Fault.atOnce("master's clock ahead, killed", Row.OWNER_CHANGES, Faults::killOwner)
                        .with(Fault.Trait.OF_MASTER)
                        .ahead(SKEW),
                Fault.atOnce("master's clock behind, killed", Row.OWNER_CHANGES, Faults::killOwner)
                        .with(Fault.Trait.OF_MASTER)
                        .ahead(SKEW.negated()),
                shaped("owner killed on a lossy link", LOSSY, Faults::killOwner),
                Fault.lasting(
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
                        .with(Fault.Trait.FREEZES_OWNER),
                Fault.lasting(
                                "client cut off",
                                Row.CLIENT_CUT_OFF,
                                CUT,
                                stage -> stage.cutOff(stage.client(), Weather.SILENT),
                                Faults::heal)
                        .with(Fault.Trait.WITH_CLIENT, Fault.Trait.LEAVES_ALONE),
                Fault.lasting(
                                "all members of a client killed",
                                Row.ALL_COPIES_LOST,
                                Duration.ofSeconds(8),
                                Faults::killMembers,
                                stage -> {})
                        .with(Fault.Trait.WITH_CLIENT, Fault.Trait.LEAVES_ALONE, Fault.Trait.IS_FOREVER));
    }

    /**
     * The one of a name.
     *
     * @throws IllegalArgumentException if there is none
     */
    static Fault named(String name) {
        return all().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no fault is named \"" + name + "\""));
    }

    private static Fault paused(String name) {
        return Fault.lasting(
                        name,
                        Row.OWNER_PAUSED,
                        PAUSE,
                        stage -> stage.owner().pause(),
                        stage -> stage.owner().resume())
                .with(Fault.Trait.FREEZES_OWNER);
    }

    private static Fault cutOff(String name, Weather weather) {
        return Fault.lasting(name, Row.PARTITION, CUT, stage -> stage.cutOff(stage.owner(), weather), Faults::heal)
                .with(Fault.Trait.LEAVES_ALONE);
    }

    private static Fault oneWay(String name, Function<Stage, Link> link) {
        return Fault.lasting(
                name,
                Row.PARTITION,
                CUT,
                stage -> stage.cluster().network().set(link.apply(stage), Weather.SILENT),
                Faults::heal);
    }

    private static Fault shaped(String name, Weather weather) {
        return shaped(name, weather, stage -> {});
    }

    private static Fault shaped(String name, Weather weather, Consumer<Stage> more) {
        return Fault.lasting(
                        name,
                        Row.OWNER_CHANGES,
                        Duration.ofSeconds(6),
                        stage -> {
                            stage.cutOff(stage.owner(), weather);
                            stage.cutOff(stage.third(), weather);
                            more.accept(stage);
                        },
                        Faults::heal)
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

    private static void killOwner(Stage stage) {
        stage.owner().kill();
    }

    private static void killOwnerAndBackup(Stage stage) {
        killOwner(stage);
        stage.backup().kill();
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

    /** At once, or those who are left would go on for a while. */
    private static void killMembers(Stage stage) {
        stage.cluster().alive().parallelStream()
                .filter(each -> each.role() != Role.CLIENT)
                .forEach(MemberProcess::kill);
    }
}
