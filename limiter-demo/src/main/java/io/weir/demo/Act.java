package io.weir.demo;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** What a visitor can have happen, one word each, and a number behind some. */
enum Act {
    ATTACK(
            "a client with the key \"mallory\" asks N times a second (1 to 2000; 500 if nothing is said)",
            1,
            2_000,
            500),
    CALM("that client goes away", 0, 0, 0),
    KILL("member N crashes", 1, Settings.MEMBERS, 0),
    START("and comes back", 1, Settings.MEMBERS, 0),
    FREEZE("member N stands still for a while, and does not know it", 1, Settings.MEMBERS, 0),
    CUT("member N is cut off from the others", 1, Settings.MEMBERS, 0),
    HEAL("and finds them again", 1, Settings.MEMBERS, 0),
    HELP("shows this", 0, 0, 0),
    QUIT("ends the demo with a summary", 0, 0, 0);

    private static final Pattern SPACE = Pattern.compile("\\s+");

    private final String does;
    private final int min;
    private final int max;
    private final int unsaid;

    /** @param unsaid the number if none is given; 0 if one has to be */
    Act(String does, int min, int max, int unsaid) {
        this.does = does;
        this.min = min;
        this.max = max;
        this.unsaid = unsaid;
    }

    /** An act with its number, 0 where it has none. */
    record Said(Act act, int number) {}

    /**
     * What a line says.
     *
     * @throws IllegalArgumentException saying what could be said instead
     */
    static Said read(String line) {
        String[] words = SPACE.split(line.strip().toLowerCase(Locale.ROOT), -1);
        Optional<Act> found = Arrays.stream(values())
                .filter(each -> each.word().equals(words[0]))
                .findFirst();
        if (found.isEmpty()) {
            throw new IllegalArgumentException(
                    "there is no \"" + printable(words[0]) + "\": say help for what there is");
        }
        Act act = found.get();
        if (act.max == 0) {
            return new Said(act, 0);
        }
        int number = words.length > 1 ? number(words[1]) : act.unsaid;
        if (number < act.min || number > act.max) {
            throw new IllegalArgumentException(act.word() + " needs a number from " + act.min + " to " + act.max
                    + ", such as \"" + act.word() + " " + Math.max(act.unsaid, act.min) + "\"");
        }
        return new Said(act, number);
    }

    private static int number(String word) {
        try {
            return Integer.parseInt(word);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static String printable(String word) {
        return word.replaceAll("[^\\x20-\\x7e]", "?");
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** All there is, as lines. */
    static String help() {
        StringBuilder help = new StringBuilder();
        for (Act each : values()) {
            help.append(
                    String.format(Locale.ROOT, "  %-10s %s%n", each.word() + (each.max == 0 ? "" : " N"), each.does));
        }
        return help.toString();
    }

    /** Whether the limit may be exceeded once for it, and is used less while it lasts. */
    boolean isFault() {
        return this == KILL || this == FREEZE || this == CUT;
    }
}
