package io.weir.spring;

import io.weir.Administration;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.store.Directive;
import io.weir.store.StoreUnavailableException;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.convert.DurationStyle;

/**
 * {@link WeirEndpoint} with {@code weir.endpoint.changes}: it also changes things, on every node. What is wrong with a change is answered
 * with 400, an unknown limit with 404, a change that somebody else's has overtaken, or that there is no room for, with 409, and a store that does
 * not answer with 503. Who is logged in is the actor in the audit.
 *
 * <p>What may be missing says so twice: Spring Boot 3 knows one of the annotations, and Spring Boot 4 the other.
 */
@Endpoint(id = "weir")
final class WeirChangesEndpoint extends WeirEndpoint {

    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int UNAVAILABLE = 503;

    private final Weir weir;

    WeirChangesEndpoint(Weir weir, int shownKeys, int shownDirectives) {
        super(weir, shownKeys, shownDirectives);
        this.weir = weir;
    }

    /** What can be done about a key. */
    enum Action {
        /**
         * Numbers of its own, {@code capacity} and {@code refill}, of one {@code bandwidth}: of its own, if it has numbers, or else of its
         * limit's. The others stay as they are.
         */
        OVERRIDE,
        /** The numbers of its limit's definition. */
        CLEAR_OVERRIDE,
        /** Denied for {@code duration}, with a {@code reason}. Of limit {@code *}: under every limit. */
        BLOCK,
        /** Not denied any more. */
        UNBLOCK,
        /** A full bucket. */
        RESET,
        /** No cool-down, no strikes, and the next cool-down is a first one. */
        PARDON
    }

    /**
     * Changes the numbers of a limit.
     *
     * @param bandwidth which of several; may be missing if there is only one
     */
    @WriteOperation
    @Nullable
    LimitView change(
            @Selector String name,
            long version,
            long capacity,
            String refill,
            @org.springframework.lang.Nullable @Nullable String bandwidth,
            SecurityContext who) {
        return asked(name, () -> {
            Limit present = weir.limiter(name).limit();
            String which = which(present, bandwidth);
            Limit next = present.withBandwidths(
                    version,
                    present.bandwidths().stream()
                            .map(each -> each.name().equals(which) ? numbers(which, capacity, refill) : each)
                            .toList());
            if (version <= present.rule().version() && !next.equals(present)) {
                throw new IllegalStateException("limit \"" + name + "\" is at version "
                        + present.rule().version() + " already: look at it again, and raise the version");
            }
            by(who).change(next);
            return limit(name);
        });
    }

    /** Does something about a key; what the other parameters are for, {@link Action} says. */
    @WriteOperation
    void act(
            @Selector String name,
            @Selector String key,
            Action action,
            @org.springframework.lang.Nullable @Nullable Long capacity,
            @org.springframework.lang.Nullable @Nullable String refill,
            @org.springframework.lang.Nullable @Nullable String duration,
            @org.springframework.lang.Nullable @Nullable String reason,
            @org.springframework.lang.Nullable @Nullable String bandwidth,
            SecurityContext who) {
        boolean everywhere = name.equals(Administration.EVERY_LIMIT) || action == Action.UNBLOCK;
        var unused = asked(everywhere ? null : name, () -> {
            Administration administration = by(who);
            switch (action) {
                case OVERRIDE ->
                    override(
                            administration, name, key, bandwidth, given("capacity", capacity), given("refill", refill));
                case CLEAR_OVERRIDE -> administration.clearOverride(name, key);
                case BLOCK ->
                    administration.block(
                            name, key, duration(given("duration", duration)), reason == null ? "" : reason);
                case UNBLOCK -> administration.unblock(name, key);
                case RESET -> administration.reset(name, key);
                case PARDON -> administration.pardon(name, key);
            }
            return action;
        });
    }

    private void override(
            Administration administration,
            String name,
            String key,
            @Nullable String bandwidth,
            long capacity,
            String refill) {
        Limit limit = weir.limiter(name).limit();
        List<Bandwidth> own = administration.look(name, key).ownNumbers().map(Directive::content).stream()
                .filter(Directive.KeyNumbers.class::isInstance)
                .map(each -> ((Directive.KeyNumbers) each).rule().algorithm().bandwidths())
                .findFirst()
                .or(() -> limit.overrideOf(key))
                .orElse(List.of());
        String which = own.isEmpty()
                ? which(limit, bandwidth)
                : which("the key has numbers of its own under limit \"" + name + "\", and", own, bandwidth);
        administration.override(
                name,
                key,
                (own.isEmpty() ? limit.bandwidths() : own)
                        .stream()
                                .map(each -> each.name().equals(which) ? numbers(which, capacity, refill) : each)
                                .toArray(Bandwidth[]::new));
    }

    /** Which of a limit's bandwidths is meant. */
    private static String which(Limit limit, @Nullable String bandwidth) {
        return which("limit \"" + limit.name() + "\"", limit.bandwidths(), bandwidth);
    }

    private static String which(String whose, List<Bandwidth> bandwidths, @Nullable String bandwidth) {
        List<String> names = bandwidths.stream().map(Bandwidth::name).toList();
        if (bandwidth == null && names.size() > 1) {
            throw new IllegalArgumentException(whose + " has several bandwidths: say which one, of " + names);
        }
        if (bandwidth != null && !names.contains(bandwidth)) {
            throw new IllegalArgumentException(whose + " has no bandwidth of that name, but " + names);
        }
        return bandwidth == null ? names.get(0) : bandwidth;
    }

    private Administration by(SecurityContext who) {
        String actor =
                who.getPrincipal() == null ? "actuator" : who.getPrincipal().getName();
        return weir.administration(actor.substring(0, Math.min(actor.length(), 100)));
    }

    private static Bandwidth numbers(String name, long capacity, String refill) {
        Refill read = Refill.of(refill);
        return new Bandwidth(name, capacity, read.permits(), read.period());
    }

    private static Duration duration(String text) {
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException | DateTimeParseException e) {
            throw new IllegalArgumentException("a duration is written 10m, 36h or PT10M", e);
        }
    }

    private static <T> T given(String what, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException("this action needs a " + what);
        }
        return value;
    }

    /**
     * What the administration refuses is the request's mistake, unless it is somebody else's; what is thrown otherwise is none, and
     * stays what it is.
     *
     * @param limit the name of the limit that has to be there; null if none has
     */
    private <T> T asked(@Nullable String limit, Supplier<T> change) {
        if (limit != null && limit(limit) == null) {
            throw Refusal.of(NOT_FOUND, new IllegalArgumentException("there is no limit called so"));
        }
        try {
            return change.get();
        } catch (IllegalArgumentException e) {
            throw new InvalidEndpointRequestException(
                    String.valueOf(e.getMessage()), "Limits stay as they are: " + e.getMessage(), e);
        } catch (StoreUnavailableException e) {
            throw Refusal.of(UNAVAILABLE, e);
        } catch (IllegalStateException e) { // somebody else was quicker, or the table is full
            throw Refusal.of(CONFLICT, e);
        }
    }
}
