package io.weir.chaos;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** All that is run: which faults, under which workloads. */
final class Matrix {

    /** Of each kind the one that hurts most, in less than four minutes. */
    private static final Set<String> QUICK = Set.of(
            "owner killed",
            "owner and backup killed",
            "owner paused",
            "owner cut off silently",
            "master cut off with resets",
            "one way cut from owner to youngest",
            "lossy link",
            "all members of a client killed");

    private Matrix() {}

    /** Every fault under every workload; about half an hour. */
    static List<Play> full() {
        return Stream.concat(
                        Fault.all().stream().<Play>map(each -> new Scene(each, Workload.all())),
                        Stream.of(new OwnersKilled(12)))
                .toList();
    }

    static List<Play> quick() {
        return Stream.concat(
                        Fault.all().stream()
                                .filter(each -> QUICK.contains(each.name()))
                                .<Play>map(each -> new Scene(each, Workload.few())),
                        Stream.of(new OwnersKilled(3)))
                .toList();
    }

    /** Those of which some cell's name contains all the words. */
    static List<Play> only(String words, List<Play> plays) {
        List<String> all = List.of(words.toLowerCase(Locale.ROOT).split(" +"));
        return plays.stream()
                .filter(play -> play.cells().stream()
                        .anyMatch(cell -> all.stream().allMatch(cell.toLowerCase(Locale.ROOT)::contains)))
                .toList();
    }
}
