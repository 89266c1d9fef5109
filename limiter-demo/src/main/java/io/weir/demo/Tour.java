package io.weir.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Has happen what a visitor says, or what is written for the tour, and keeps the minutes. Thread-safe. */
final class Tour implements AutoCloseable {

    /** By the second of the load: a crash, a pause and a split, each with time to see the end of it. */
    static final Map<Integer, String> WRITTEN = Map.of(
            3, "attack 500",
            10, "kill 3",
            18, "start 3",
            28, "freeze 2",
            50, "cut 1",
            62, "heal 1");

    /** When the written tour is over. */
    static final int SECONDS = 85;

    /** What happened, and when. */
    record Event(int second, Act act, String text) {
        @Override
        public String toString() {
            return "%5d s   %s".formatted(second, text);
        }
    }

    private final Cast cast;
    private final Attack attack;
    private final Consumer<String> out;
    private final List<Event> events = new ArrayList<>();
    private volatile int second;
    private volatile boolean over;

    /** @param out where what happens is told */
    Tour(Cast cast, Attack attack, Consumer<String> out) {
        this.cast = cast;
        this.attack = attack;
        this.out = out;
    }

    /** Which second of the load begins. */
    void at(int number) {
        second = number;
    }

    /** Whether somebody has said that it is enough. */
    boolean isOver() {
        return over;
    }

    /** All that happened so far. */
    synchronized List<Event> events() {
        return List.copyOf(events);
    }

    /** Reads what a visitor says, until there is no more. */
    void listen(BufferedReader visitor) {
        Thread thread = new Thread(
                () -> {
                    try {
                        for (String line = visitor.readLine(); line != null; line = visitor.readLine()) {
                            if (!line.isBlank()) {
                                say(line);
                            }
                        }
                    } catch (IOException e) {
                        out.accept("nothing more can be read: " + e.getMessage());
                    }
                },
                "demo-visitor");
        thread.setDaemon(true);
        thread.start();
    }

    /** {@link #say} by a thread of its own: to start a member takes a while. */
    void begin(String line) {
        Thread thread = new Thread(() -> say(line), "demo-act");
        thread.setDaemon(true);
        thread.start();
    }

    /** Tells how the attack has gone. */
    void farewell() {
        if (!attack.summary().isEmpty()) {
            out.accept(attack.summary());
        }
    }

    /** Does what a line says, and tells what came of it. */
    void say(String line) {
        try {
            Act.Said said = Act.read(line);
            Cast.Outcome done = act(said);
            out.accept(
                    done.happened()
                            ? add(new Event(second, said.act(), done.text())).toString()
                            : done.text());
        } catch (IllegalArgumentException | CannotStartException | IOException e) {
            out.accept(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized Event add(Event event) {
        events.add(event);
        return event;
    }

    private Cast.Outcome act(Act.Said said) throws IOException, InterruptedException {
        return switch (said.act()) {
            case ATTACK -> {
                attack.perSecond(said.number());
                yield Cast.Outcome.of("the client \"" + Attack.KEY + "\" asks " + said.number() + " times a second");
            }
            case CALM -> {
                attack.perSecond(0);
                yield Cast.Outcome.of("the client \"" + Attack.KEY + "\" is gone");
            }
            case KILL -> cast.kill(said.number());
            case START -> cast.restart(said.number());
            case FREEZE -> cast.freeze(said.number());
            case CUT -> cast.cut(said.number());
            case HEAL -> cast.heal(said.number());
            case HELP -> Cast.Outcome.nothing(Act.help());
            case QUIT -> {
                over = true;
                yield Cast.Outcome.of("enough");
            }
        };
    }

    @Override
    public void close() {
        attack.close();
    }
}
