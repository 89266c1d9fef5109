package io.weir.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs the matrix, and prints a line for each cell. */
@Command(
        name = "chaos-tests",
        mixinStandardHelpOptions = true,
        description =
                "Hurts clusters of real processes under load, and holds what they grant against the bounds that are"
                        + " promised. Ends with 1 if a cell is out of bounds.",
        sortOptions = false)
public final class Chaos implements Callable<Integer> {

    @Option(names = "--quick", description = "The faults that hurt most, in less than four minutes.")
    private boolean quick;

    @Option(
            names = "--only",
            paramLabel = "WORDS",
            description = "The runs of which some cell's name contains all these words.")
    private String only = "";

    @Option(
            names = "--rig",
            description = "One of ${COMPLETION-CANDIDATES}; the better one that works here if not given.")
    private @Nullable Rig rig;

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "Where to write the report; ${DEFAULT-VALUE} if not given.")
    private Path report = Path.of("target", "chaos", "report.html");

    @Option(names = "--list", description = "Prints the names of cells, and runs nothing.")
    private boolean list;

    /** Ends the JVM: 0 if every cell is within bounds, 1 if one is not, 2 if the command line is none. */
    public static void main(String[] args) {
        System.setProperty("java.awt.headless", "true");
        System.exit(new CommandLine(new Chaos())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(args));
    }

    @Override
    public Integer call() throws IOException {
        List<Play> plays = Matrix.only(only, quick ? Matrix.quick() : Matrix.full());
        if (list) {
            plays.forEach(play -> play.cells().forEach(System.out::println));
            return 0;
        }
        return run(plays, rig == null ? Rig.available() : rig, report);
    }

    /** 0 if every cell is within bounds, else 1. */
    static int run(List<Play> plays, Rig rig, Path report) throws IOException {
        System.out.printf("rig: %s; clocks are turned by %s%n", rig, Skew.available());
        long began = System.nanoTime();
        List<Judged> judged = new ArrayList<>();
        for (Play play : plays) {
            List<Judged> cells = run(play, rig, began);
            if (cells.stream().anyMatch(Judged::isOnlySlow)
                    && cells.stream().allMatch(each -> each.isWithinBounds() || each.isOnlySlow())) {
                System.out.println("       " + play.name() + ": slow, as a busy machine may be; once more");
                cells = run(play, rig, began);
            }
            judged.addAll(cells);
        }
        new Report(judged).write(report);
        long within = judged.stream().filter(Judged::isWithinBounds).count();
        System.out.println("report: " + report.toAbsolutePath());
        System.out.printf("chaos: %d cells, %d within bounds%n", judged.size(), within);
        return within == judged.size() ? 0 : 1;
    }

    private static List<Judged> run(Play play, Rig rig, long began) {
        List<Judged> cells = play.run(rig);
        cells.forEach(cell -> System.out.printf(
                Locale.ROOT,
                "%4d s %s%s%n",
                (System.nanoTime() - began) / 1_000_000_000,
                cell,
                cell.rig() == rig ? "" : " (on " + cell.rig() + ")"));
        return cells;
    }
}
