package io.weir.http;

import io.weir.guard.LoadShedder;
import io.weir.guard.NodeConcurrencyGuard;
import io.weir.guard.Slot;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a node takes upon itself at one time: guards for HTTP requests. They come before any limit, so that who is refused is not
 * charged, and ask no store. Immutable and thread-safe.
 *
 * <pre>{@code
 * HttpGuards guards = HttpGuards.create()
 *         .free("/health")
 *         .shed(LoadShedder.named("http").inFlight(200).build())
 *         .guard(NodeConcurrencyGuard.named("reports", 20).perKey(2).build(), "/reports/**", KeyResolver.principal())
 *         .build();
 * }</pre>
 *
 * <p>A request needs a place in the load shedder and in <em>each</em> guard whose pattern matches its path in any way of reading it (where nobody can
 * list those ways, in every guard at that position), and holds them until it is done; it is refused with 503 and {@code Retry-After} if one is missing. It is counted once at each {@link
 * Position}, however often the server dispatches it.
 */
public final class HttpGuards {

    /** Tells the guards of one application from those of another that the same request passes. */
    private static final AtomicLong COUNT = new AtomicLong();

    private final List<String> free;
    private final @Nullable Gate shedder;
    private final Map<Position, List<Guarded>> guarded = new EnumMap<>(Position.class);

    /** Under which name a request is marked that has been let in at a position. */
    private final Map<Position, String> marks = new EnumMap<>(Position.class);

    private HttpGuards(Builder builder) {
        this.free = List.copyOf(builder.free);
        LoadShedder shed = builder.shedder;
        this.shedder = shed == null ? null : Gate.of(shed);
        long number = COUNT.incrementAndGet();
        for (Position position : Position.values()) {
            guarded.put(
                    position,
                    builder.guarded.stream()
                            .filter(each -> each.position() == position)
                            .toList());
            marks.put(position, HttpGuards.class.getName() + "." + number + "." + position);
        }
    }

    /** Begins guards. */
    public static Builder create() {
        return new Builder();
    }

    /** Whether any request is counted at this position: if not, it needs no filter. */
    public boolean anyAt(Position position) {
        return shedderAt(position) != null || !at(position).isEmpty();
    }

    /** Lets a request in, or not. Close what is returned when the request is done, with all that goes on for it. */
    public Admission enter(IncomingRequest request, Position position) {
        Gate shed = shedderAt(position);
        List<Guarded> here = at(position);
        String mark = Objects.requireNonNull(marks.get(position));
        if ((shed == null && here.isEmpty()) || request.kept(mark) != null || isFree(request)) {
            return Admission.FREE;
        }
        Slot first = shed == null ? null : shed.shedder().tryEnter();
        if (shed != null && first != null && !first.entered()) {
            return shed.refusal(request); // without as much as a look at the path
        }
        List<Slot> slots = new ArrayList<>(1);
        if (first != null) {
            slots.add(first);
        }
        boolean decided = false;
        try {
            Admission refused = here.isEmpty() ? null : refusal(request, here, slots);
            if (refused == null) {
                request.keep(mark, true);
                decided = true;
                return Admission.into(slots);
            }
            return refused;
        } finally {
            if (!decided) { // refused, or a key resolver threw
                slots.forEach(Slot::close);
            }
        }
    }

    /** Null if there is a place everywhere; what was taken is in {@code slots} either way. */
    private static @Nullable Admission refusal(IncomingRequest request, List<Guarded> here, List<Slot> slots) {
        RequestPath path = RequestPath.of(request.path(), request.contextPath());
        for (Guarded each : here) {
            boolean matches = each.pattern().matches(path.split())
                    || each.pattern().matches(path.resolved())
                    || path.obscure(); // nobody can list where it may lead
            if (!matches) {
                continue;
            }
            Slot slot = each.guard().tryEnter(each.key().resolve(request).orElse(""));
            if (!slot.entered()) {
                return each.refusals().to(request);
            }
            slots.add(slot);
        }
        return null;
    }

    /** As it is written, and without making anything: this is asked of each request that may be too much. */
    private boolean isFree(IncomingRequest request) {
        if (free.isEmpty()) {
            return false;
        }
        String path = request.path();
        String context = request.contextPath();
        for (int i = 0; i < free.size(); i++) { // an iterator is an object wherever the compiler cannot do without it
            String each = free.get(i);
            if (path.length() == context.length() + each.length() && path.startsWith(context) && path.endsWith(each)) {
                return true;
            }
        }
        return false;
    }

    private @Nullable Gate shedderAt(Position position) {
        return position == Position.BEFORE_AUTHENTICATION ? shedder : null;
    }

    private List<Guarded> at(Position position) {
        return Objects.requireNonNull(guarded.get(position));
    }

    /** Made once, and answered to everybody. */
    private record Refusals(Admission plain, Admission acrossOrigins) {

        static Refusals of(HttpAnswer.Denied answer) {
            Fields readable = new Fields();
            answer.fields().forEach(readable::add);
            readable.add(HttpLimits.EXPOSED, "Retry-After");
            return new Refusals(
                    Admission.refused(answer),
                    Admission.refused(new HttpAnswer.Denied(answer.status(), readable, answer.body())));
        }

        Admission to(IncomingRequest request) {
            return request.field("Origin").isEmpty() ? plain : acrossOrigins;
        }
    }

    private record Gate(LoadShedder shedder, Refusals refusals) {

        static Gate of(LoadShedder shedder) {
            return new Gate(shedder, Refusals.of(HttpMapping.busy(shedder.retryAfter())));
        }

        Admission refusal(IncomingRequest request) {
            return refusals.to(request);
        }
    }

    private record Guarded(NodeConcurrencyGuard guard, PathPattern pattern, KeyResolver key, Refusals refusals) {

        Position position() {
            return key.needsAuthentication() ? Position.AFTER_AUTHENTICATION : Position.BEFORE_AUTHENTICATION;
        }
    }

    /** Collects guards. Not thread-safe. */
    public static final class Builder {
        private final List<String> free = new ArrayList<>();
        private final List<Guarded> guarded = new ArrayList<>();
        private @Nullable LoadShedder shedder;

        private Builder() {}

        /**
         * Counts no requests for this path, and refuses none: for probes, say. Only one that is written just so: another is
         * counted.
         *
         * @param path of the application, such as {@code /health}
         * @throws IllegalArgumentException if it is no path, or a pattern, or if a guard is for this path alone
         */
        public Builder free(String path) {
            if (!PathPattern.of(path).isExact()) {
                throw new IllegalArgumentException(
                        "path that guards leave free must be one path, without * or {name}, but is \"" + path + "\"");
            }
            guarded.forEach(each -> requireApart(each, path));
            free.add(path);
            return this;
        }

        /** Sheds load: before authentication, and whatever the path is, unless it is {@linkplain #free free}. */
        public Builder shed(LoadShedder value) {
            this.shedder = Objects.requireNonNull(value, "shedder");
            return this;
        }

        /** {@link #guard(NodeConcurrencyGuard, String, KeyResolver)} for a guard that does not tell keys apart. */
        public Builder guard(NodeConcurrencyGuard guard, String pattern) {
            return guard(guard, pattern, KeyResolver.fixed("all"));
        }

        /**
         * Guards paths: after authentication if the key {@linkplain KeyResolver#needsAuthentication() needs} that, and else
         * before.
         *
         * @param pattern which paths, as {@link Route} has them
         * @param key whose request it is; all without a key count as one
         * @throws IllegalArgumentException if {@code pattern} is no path pattern, or a path that is {@linkplain #free free}
         */
        public Builder guard(NodeConcurrencyGuard guard, String pattern, KeyResolver key) {
            Guarded added = new Guarded(
                    Objects.requireNonNull(guard, "guard"),
                    PathPattern.of(pattern),
                    Objects.requireNonNull(key, "key"),
                    Refusals.of(HttpMapping.busy(guard.retryAfter())));
            free.forEach(each -> requireApart(added, each));
            guarded.add(added);
            return this;
        }

        private static void requireApart(Guarded guarded, String free) {
            if (guarded.pattern().isExact() && PathPattern.of(free).covers(guarded.pattern())) {
                throw new IllegalArgumentException(
                        "guard \"" + guarded.guard().name() + "\" is for " + guarded.pattern()
                                + ", which is free, and would get no request: guard another path, or do not leave this one free");
            }
        }

        /** The guards; without any, everything goes on. */
        public HttpGuards build() {
            return new HttpGuards(this);
        }
    }
}
