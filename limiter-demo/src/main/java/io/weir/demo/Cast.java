package io.weir.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.util.Map;
import java.util.TreeMap;

/** The members and the links between them: what happens to them is done here. Thread-safe. */
final class Cast implements AutoCloseable {

    private final Settings settings;
    private final MemberLinks links;
    private final Map<Integer, MemberProcess> members = new TreeMap<>();

    private Cast(Settings settings, MemberLinks links) {
        this.settings = settings;
        this.links = links;
    }

    static Cast open(Settings settings) throws IOException {
        return new Cast(settings, MemberLinks.open(settings));
    }

    /** One after another: at once they would take several times as long to find each other. */
    void startAll(PrintStream out) throws IOException, InterruptedException {
        for (int number = 1; number <= Settings.MEMBERS; number++) {
            out.println("Starting member " + number + " of " + Settings.MEMBERS + " ...");
            MemberProcess member = start(number);
            member.awaitReady();
            out.println("  process " + member.pid() + " is listening on " + settings.hello(number));
        }
    }

    private synchronized MemberProcess start(int number) throws IOException {
        MemberProcess member = MemberProcess.start(settings, number);
        members.put(number, member);
        return member;
    }

    /**
     * What came of an act.
     *
     * @param happened whether anything did
     */
    record Outcome(boolean happened, String text) {

        static Outcome of(String text) {
            return new Outcome(true, text);
        }

        static Outcome nothing(String text) {
            return new Outcome(false, text);
        }
    }

    /** Starts a member that was killed, and waits until it answers. */
    Outcome restart(int number) throws IOException, InterruptedException {
        if (isAlive(number)) {
            return Outcome.nothing("member " + number + " is running");
        }
        start(number).awaitReady();
        return Outcome.of("member " + number + " is back");
    }

    /** As a crash does: it says no goodbye. */
    synchronized Outcome kill(int number) throws InterruptedException {
        if (!isAlive(number)) {
            return Outcome.nothing("member " + number + " is not running; \"start " + number + "\" brings it back");
        }
        get(number).kill();
        return Outcome.of("member " + number + " is killed");
    }

    /** As a long pause of its machine does. */
    synchronized Outcome freeze(int number) throws IOException {
        if (!isAlive(number)) {
            return Outcome.nothing("member " + number + " is not running; \"start " + number + "\" brings it back");
        }
        get(number).freeze();
        return Outcome.of(
                "member " + number + " is frozen, and wakes up in " + MemberProcess.FREEZE.toSeconds() + " s");
    }

    Outcome cut(int number) {
        return links.cut(number)
                ? Outcome.of("member " + number + " is cut off from the others; \"heal " + number + "\" ends that")
                : Outcome.nothing("member " + number + " is cut off already");
    }

    Outcome heal(int number) {
        return links.heal(number)
                ? Outcome.of(
                        "member " + number + " can be reached again; until it has found the others may take a minute")
                : Outcome.nothing("member " + number + " is not cut off");
    }

    private synchronized boolean isAlive(int number) {
        return get(number).isAlive();
    }

    private MemberProcess get(int number) {
        MemberProcess member = members.get(number);
        if (member == null) {
            throw new IllegalStateException("member " + number + " was never started");
        }
        return member;
    }

    @Override
    public synchronized void close() {
        members.values().forEach(MemberProcess::close);
        links.close();
    }
}
