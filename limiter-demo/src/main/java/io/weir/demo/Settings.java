package io.weir.demo;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What the launcher and its members have to agree on: options of both. */
final class Settings {

    static final int MEMBERS = 3;

    /** All that the demo listens on and talks to. */
    static final String LOOPBACK = "127.0.0.1";

    /** From hazelcastPort to the first port from which member 1 calls, and on to the next member's. */
    private static final int CALLING_STEP = 100;

    private static final int CALLING_PORTS = 50;

    /** With fewer, a single permit that is not asked for in time would be a visible part of the whole. */
    private static final int MIN_PERMITS = 20;

    /** With more, the demo would show the machine that clients and members share, and not the limit. */
    private static final int MAX_PERMITS = 500;

    @Option(
            names = "--rate",
            paramLabel = "PERMITS",
            description = "Permits per second that the limit grants each key: 20 to 500. Default: 100.")
    private int rate = 100;

    @Option(
            names = "--capacity",
            paramLabel = "PERMITS",
            description = "Permits that the limit grants each key at once: 20 to 500. Default: those of a second.")
    private @Nullable Integer capacity;

    @Option(
            names = "--http-port",
            paramLabel = "PORT",
            description = "HTTP port of the first member; the others use the next ones. Default: 8081.")
    private int httpPort = 8081;

    @Option(
            names = "--hazelcast-port",
            paramLabel = "PORT",
            description =
                    "Hazelcast port of the first member; the others use the next ones, and are reached through the"
                            + " three after those. Default: 5801.")
    private int hazelcastPort = 5801;

    /**
     * Checks what the types of the options leave open.
     *
     * @throws CannotStartException naming the first option that is out of range
     */
    void check() {
        requireInRange("--rate", rate, MIN_PERMITS, MAX_PERMITS);
        requireInRange("--capacity", capacity(), MIN_PERMITS, MAX_PERMITS);
        requireInRange("--http-port", httpPort, 1, 65_535 - MEMBERS + 1);
        requireInRange("--hazelcast-port", hazelcastPort, 1, 65_535 - (MEMBERS + 1) * CALLING_STEP);
    }

    Bandwidth bandwidth() {
        return Bandwidth.of(capacity(), rate, Duration.ofSeconds(1));
    }

    /**
     * The limit that every member enforces. When an owner does not answer it denies, so that no grant is outside of the
     * bound; the deadline is long, so that a slow machine shows a slow demo and not an outage.
     */
    Limit limit() {
        return Limit.named("hello", FailurePolicy.DENY)
                .bandwidth(bandwidth())
                .deadline(Duration.ofSeconds(1))
                .build();
    }

    /** Permits per second. */
    int rate() {
        return rate;
    }

    /**
     * The HTTP port of a member.
     *
     * @param member from 1 to {@value #MEMBERS}
     */
    int httpPort(int member) {
        return httpPort + member - 1;
    }

    /** The Hazelcast port of a member. */
    int hazelcastPort(int member) {
        return hazelcastPort + member - 1;
    }

    /** The port through which other members reach a member. */
    int reachedPort(int member) {
        return hazelcastPort + MEMBERS + member - 1;
    }

    /** The ports from which a member calls others, in Hazelcast's words. */
    String callingPorts(int member) {
        int first = hazelcastPort + member * CALLING_STEP;
        return first + "-" + (first + CALLING_PORTS - 1);
    }

    /** Which member calls from a port. */
    int caller(int port) {
        return (port - hazelcastPort) / CALLING_STEP;
    }

    /** Where a member says hello. */
    URI hello(int member) {
        return URI.create("http://" + LOOPBACK + ":" + httpPort(member) + HelloServer.PATH);
    }

    /** Where a member shows what all of them do. */
    URI console(int member) {
        return URI.create("http://" + LOOPBACK + ":" + httpPort(member) + HelloServer.CONSOLE + "/");
    }

    /** Where all members say hello, as a pattern for curl. */
    String helloOnAllMembers() {
        return "http://" + LOOPBACK + ":[" + httpPort(1) + "-" + httpPort(MEMBERS) + "]" + HelloServer.PATH;
    }

    /** These settings as a command line. */
    List<String> arguments() {
        return List.of(
                "--rate=" + rate,
                "--capacity=" + capacity(),
                "--http-port=" + httpPort,
                "--hazelcast-port=" + hazelcastPort);
    }

    private int capacity() {
        return capacity == null ? rate : capacity;
    }

    static void requireInRange(String option, int value, int min, int max) {
        if (value < min || value > max) {
            throw new CannotStartException(option + " must be " + min + " to " + max + " but is " + value);
        }
    }
}
