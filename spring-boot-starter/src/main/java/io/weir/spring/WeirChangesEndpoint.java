package io.weir.spring;

import io.weir.Administration;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
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
 * with 400. Who is logged in is the actor in the audit.
 *
 * <p>What may be missing says so twice: Spring Boot 3 knows one of the annotations, and Spring Boot 4 the other.
 */
@Endpoint(id = "weir")
final class WeirChangesEndpoint extends WeirEndpoint {

    private final Weir weir;

    WeirChangesEndpoint(Weir weir, int shownKeys, int shownDirectives) {
        super(weir, shownKeys, shownDirectives);
        this.weir = weir;
    }

    /** What can be done about a key. */
    enum Action {
        /** Numbers of its own: {@code capacity} and {@code refill}. */
        OVERRIDE,
        /** Its limit's numbers again. */
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
        return asked(() -> {
            Limit present = weir.limiter(name).limit();
            List<Bandwidth> bandwidths = present.bandwidths();
            String which = bandwidth != null ? bandwidth : bandwidths.get(0).name();
            if (bandwidth == null && bandwidths.size() > 1) {
                throw new IllegalArgumentException("limit \"" + name + "\" has several bandwidths: say which one, of "
                        + bandwidths.stream().map(Bandwidth::name).toList());
            }
            if (bandwidths.stream().noneMatch(each -> each.name().equals(which))) {
                throw new IllegalArgumentException("limit \"" + name + "\" has no bandwidth of that name, but "
                        + bandwidths.stream().map(Bandwidth::name).toList());
            }
            Limit.Builder next = Limit.named(name, present.failurePolicy())
                    .deadline(present.deadline())
                    .version(version);
            bandwidths.forEach(
                    each -> next.bandwidth(each.name().equals(which) ? numbers(which, capacity, refill) : each));
            if (present.isExact()) {
                next.exact();
            }
            if (present.isStrictPartitions()) {
                next.strictPartitions();
            }
            present.penalty().ifPresent(next::penalty);
            by(who).change(next.build());
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
            SecurityContext who) {
        var unused = asked(() -> {
            Administration administration = by(who);
            switch (action) {
                case OVERRIDE ->
                    administration.override(
                            name,
                            key,
                            numbers(Bandwidth.DEFAULT_NAME, given("capacity", capacity), given("refill", refill)));
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

    /** What the administration refuses is the request's mistake; what is thrown otherwise is none, and stays what it is. */
    private static <T> T asked(Supplier<T> change) {
        try {
            return change.get();
        } catch (IllegalArgumentException e) {
            throw new InvalidEndpointRequestException(
                    String.valueOf(e.getMessage()), "Limits stay as they are: " + e.getMessage(), e);
        }
    }
}
