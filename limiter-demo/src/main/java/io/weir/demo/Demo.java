package io.weir.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
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
            "0:the limit held, and at least 98 %% of what it allows was granted, unless something was done to a member",
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

    @Option(
            names = "--tour",
            description =
                    "Has a member crash, stand still and be cut off, one after the other, in a minute and a half.")
    private boolean tour;

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
        try (Cast cast = Cast.open(settings)) {
            cast.startAll(out);
            return show(cast, duration);
        } catch (InterruptedException e) {
            return BAD; // stopped before there was anything to show
        } finally {
            ctrlC.release();
        }
    }

    private int duration() {
        if (seconds != null && !once) {
            throw new CannotStartException("--seconds needs --once");
        }
        int duration = seconds == null ? 10 : seconds;
        Settings.requireInRange("--seconds", duration, 3, 3600);
        if (tour && once) {
            throw new CannotStartException("--tour and --once do not go together: --tour ends by itself, too");
        }
        return tour ? Tour.SECONDS : once ? duration : Integer.MAX_VALUE;
    }

    private int show(Cast cast, int duration) throws InterruptedException {
        out.print(introduction());
        Tally tally = new Tally();
        List<Tour.Event> events;
        try (LiveLine line = new LiveLine(out, Ansi.AUTO.enabled());
                Tour what = new Tour(cast, new Attack(settings), line::say)) {
            if (!once) {
                what.listen(new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())));
            }
            Load load = Load.start(settings, tally);
            try {
                showLive(tally, what, line, duration);
            } catch (InterruptedException e) {
                // Ctrl-C is how a demo without an end of its own is meant to end
            } finally {
                load.stop();
            }
            events = what.events();
            what.farewell();
        }
        Report report = Report.of(settings.bandwidth(), tally, events);
        out.println();
        report.lines().forEach(out::println);
        return report.isGood() ? GOOD : BAD;
    }

    private String introduction() {
        String how = once || tour
                ? "This ends by itself, or with Ctrl-C.\n"
                : "Say what is to happen, and press Enter; Ctrl-C ends it.\n" + Act.help();
        return """

                They enforce one limit for each API key: %d permits at once and %d per second.
                Look at them in a browser, at any of them:  %s
                The load is on the key "%s". From another terminal, look at an answer, or use up a key of your own on all members:
                  curl -i %s
                  curl -s -o /dev/null -w '%%{http_code}\\n' -H '%s: me' '%s?[1-%d]' | sort | uniq -c

                %s
                """.formatted(
                        settings.bandwidth().capacity(),
                        settings.rate(),
                        settings.console(1),
                        Load.KEY,
                        settings.hello(1),
                        HelloServer.KEY_FIELD,
                        settings.helloOnAllMembers(),
                        2 * settings.bandwidth().capacity(),
                        how);
    }

    private void showLive(Tally tally, Tour what, LiveLine line, int duration) throws InterruptedException {
        List<Counts> before = tally.counts();
        for (int number = 1; number <= duration && !what.isOver(); number++) {
            what.at(number);
            String written = tour ? Tour.WRITTEN.get(number) : null;
            if (written != null) {
                line.say("> " + written);
                what.begin(written);
            }
            TimeUnit.SECONDS.sleep(1);
            List<Counts> now = tally.counts();
            line.show(new Second(number, Counts.minus(now, before), settings.rate()).toString());
            before = now;
        }
    }
}
