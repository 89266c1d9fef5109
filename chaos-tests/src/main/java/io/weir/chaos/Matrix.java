package io.weir.chaos;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** All that is run: which faults, under which workloads. */
final class Matrix {

    /** Of each kind the one that hurts most, in less than four minutes. */
    static final Set<String> QUICK = Set.of(
            "owner killed",
            "owner and backup killed",
            "owner paused",
            "owner cut off silently",
            "master cut off with resets",
            "one way cut from owner to third member",
            "lossy link",
            "all members of a client killed");

    /** What every build tries: a fault of each kind that no other test makes. */
    static final Set<String> SLICE = Set.of("owner killed", "owner cut off silently", "all members of a client killed");

    private static final int KILLS = 12;
    private static final int FEW_KILLS = 3;
    private static final int TWO_KILLS = 2;

    private Matrix() {}

    /** Every fault under every workload; about ten minutes. */
    static List<Play> full() {
        return plays(
                fault -> true,
                Workload.all(),
                new OwnersKilled(KILLS, false),
                new OwnersKilled(KILLS, true),
                new SplitHealed());
    }

    static List<Play> quick() {
        return plays(QUICK::contains, Workload.few(), new OwnersKilled(FEW_KILLS, true), new SplitHealed());
    }

    static List<Play> slice() {
        return plays(SLICE::contains, Workload.few(), new OwnersKilled(TWO_KILLS, true));
    }

    /** Those of which some cell's name contains all the words. */
    static List<Play> only(String words, List<Play> plays) {
        List<String> all = List.of(words.toLowerCase(Locale.ROOT).split(" +"));
        return plays.stream()
                .filter(play -> play.cells().stream()
                        .anyMatch(cell -> all.stream().allMatch(cell.toLowerCase(Locale.ROOT)::contains)))
                .toList();
    }

    private static List<Play> plays(Predicate<String> faults, List<Workload> workloads, Play... more) {
        return Stream.concat(
                        Faults.all().stream()
                                .filter(each -> faults.test(each.name()))
                                .<Play>map(each -> new Scene(each, workloads)),
                        Stream.of(more))
                .toList();
    }
}
