package io.weir.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.algorithm.Bandwidth;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Starts three members, loads them, and shows what they grant. */
@Command(
        name = "demo",
        description = "Three JVMs, one limit: starts them, loads them, and shows what they grant together.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:the limit held, and at least 98 %% of what it allows was granted",
            "1:it did not hold, or less was granted",
            "2:the demo could not start"
        })
public final class Demo implements Callable<Integer> {

    private static final int GOOD = 0;
    private static final int BAD = 1;
    private static final int NOT_STARTED = 2;

    private final PrintStream out;

    @Mixin
    private final Settings settings = new Settings();

    @Option(names = "--once", description = "Ends by itself, after 10 seconds of load.")
    private boolean once;

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            description = "With --once: how many seconds instead, 3 to 3600.")
    private @Nullable Integer seconds;

    @Option(names = "--help", usageHelp = true, description = "Shows this, and does nothing else.")
    @SuppressWarnings("UnusedVariable") // picocli's
    private boolean help;

    Demo(PrintStream out) {
        this.out = out;
    }

    /** Runs the demo and ends the JVM: its exit code is the verdict, also where it is Maven's. */
    public static void main(String[] args) {
        System.exit(run(System.out, System.err, args));
    }

    static int run(PrintStream out, PrintStream err, String... args) {
        return new CommandLine(new Demo(out))
                .setOut(new PrintWriter(out, true, UTF_8))
                .setParameterExceptionHandler(
                        (exception, parsed) -> complain(err, exception, " (--help shows all options)"))
                .setExecutionExceptionHandler((exception, commandLine, parsed) -> {
                    if (exception instanceof CannotStartException) {
                        return complain(err, exception, "");
                    }
                    throw exception;
                })
                .execute(args);
    }

    private static int complain(PrintStream err, Exception reason, String hint) {
        err.println("demo: " + reason.getMessage() + hint);
        return NOT_STARTED;
    }

    @Override
    public Integer call() throws IOException {
        settings.check();
        int duration = duration();
        StartChecks.run(settings);
        CtrlC ctrlC = CtrlC.interruptsThisThread();
        List<MemberProcess> members = new ArrayList<>();
        try {
            startMembers(members);
            return show(duration);
        } catch (InterruptedException e) {
            return BAD; // stopped before there was anything to show
        } finally {
            members.forEach(MemberProcess::close);
            ctrlC.release();
        }
    }

    private int duration() {
        if (seconds != null && !once) {
            throw new CannotStartException("--seconds needs --once");
        }
        int duration = seconds == null ? 10 : seconds;
        Settings.requireInRange("--seconds", duration, 3, 3600);
        return once ? duration : Integer.MAX_VALUE;
    }

    /** One after another: at once they would take several times as long to find each other. */
    private void startMembers(List<MemberProcess> members) throws IOException, InterruptedException {
        for (int number = 1; number <= Settings.MEMBERS; number++) {
            out.println("Starting member " + number + " of " + Settings.MEMBERS + " ...");
            MemberProcess member = MemberProcess.start(settings, number);
            members.add(member);
            member.awaitReady();
            out.println("  process " + member.pid() + " is listening on " + settings.hello(number));
        }
    }

    private int show(int duration) throws InterruptedException {
        Bandwidth bandwidth = settings.bandwidth();
        out.println("They enforce one limit for each API key: " + bandwidth.capacity() + " permits at once and "
                + bandwidth.refill() + " per second. Try it:");
        out.println("  curl -i " + settings.hello(1));
        out.println("  curl -i -H '" + HelloServer.KEY_FIELD + ": " + Load.KEY + "' " + settings.hello(2)
                + "   (the key under load)");
        out.println(once ? "This ends by itself; Ctrl-C ends it now." : "Ctrl-C ends it.");
        Tally tally = new Tally();
        Load load = Load.start(settings, tally);
        try {
            showLive(tally, duration);
        } catch (InterruptedException e) {
            // Ctrl-C is how a demo without --once is meant to end
        } finally {
            load.close();
        }
        Report report = Report.of(bandwidth, tally);
        out.println();
        report.lines().forEach(out::println);
        return report.isGood() ? GOOD : BAD;
    }

    private void showLive(Tally tally, int duration) throws InterruptedException {
        try (LiveLine line = new LiveLine(out, Ansi.AUTO.enabled())) {
            List<Counts> before = tally.counts();
            for (int second = 1; second <= duration; second++) {
                TimeUnit.SECONDS.sleep(1);
                List<Counts> now = tally.counts();
                line.show(inLastSecond(second, before, now));
                before = now;
            }
        }
    }

    private String inLastSecond(int second, List<Counts> before, List<Counts> now) {
        Counts all = Counts.sum(now).minus(Counts.sum(before));
        String granted = IntStream.range(0, now.size())
                .mapToObj(
                        i -> Long.toString(now.get(i).granted() - before.get(i).granted()))
                .collect(Collectors.joining(" + "));
        String trouble = all.unavailable() + all.failed() == 0
                ? ""
                : "   unavailable " + all.unavailable() + "/s   failed " + all.failed() + "/s";
        return String.format(
                Locale.ROOT,
                "%5d s   asked %d/s   granted %d/s (%s)   limit %d/s%s",
                second,
                all.asked(),
                all.granted(),
                granted,
                settings.rate(),
                trouble);
    }
}
