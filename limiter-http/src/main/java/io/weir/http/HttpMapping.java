package io.weir.http;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.store.Source;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * How decisions are answered over HTTP.
 *
 * <pre>{@code
 * HttpMapping mapping = HttpMapping.standard().dialects(Dialect.IETF_11).jitter(25, new Random());
 * HttpAnswer answer = mapping.answer(decision, Instant.now());
 * }</pre>
 *
 * <p>Each method that configures gives a mapping that differs in this one thing. Thread-safe, except for the random source of
 * {@link #jitter}, which is the caller's. What it keeps of one answer for the next changes none.
 */
public final class HttpMapping {

    private static final int BAD_REQUEST = 400;
    private static final int PAYMENT_REQUIRED = 402;
    private static final int FORBIDDEN = 403;
    private static final int CONTENT_TOO_LARGE = 413;
    private static final int UNPROCESSABLE_CONTENT = 422;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVICE_UNAVAILABLE = 503;

    private final Set<Dialect> dialects;
    private final int impossibleStatus;

    /** From the seconds that a client has to wait to those that it is told to wait: as many, or more. */
    private final LongUnaryOperator jitter;

    /** Of a quota that is exhausted. */
    private final int exhaustedStatus;

    /** The same as {@link #jitter}, for a reset: by how many seconds the date is later. */
    private final LongSupplier resetJitterSeconds;

    /**
     * What was told last. Who has to be denied most often asks on at once, and is told the same for up to a second, at no more cost than
     * a grant's; as long as no other denial comes between, and jitter draws no other wait.
     */
    private volatile Denial.@Nullable Told last;

    private HttpMapping(
            Set<Dialect> dialects,
            int impossibleStatus,
            LongUnaryOperator jitter,
            int exhaustedStatus,
            LongSupplier resetJitterSeconds) {
        this.dialects = dialects;
        this.impossibleStatus = impossibleStatus;
        this.jitter = jitter;
        this.exhaustedStatus = exhaustedStatus;
        this.resetJitterSeconds = resetJitterSeconds;
    }

    /**
     * The dialects {@link Dialect#IETF_11} and {@link Dialect#X_EPOCH}, status 429 for the impossible, 403 for an exhausted quota, and no jitter.
     */
    public static HttpMapping standard() {
        return new HttpMapping(
                EnumSet.of(Dialect.IETF_11, Dialect.X_EPOCH),
                TOO_MANY_REQUESTS,
                LongUnaryOperator.identity(),
                FORBIDDEN,
                () -> 0);
    }

    /**
     * In which dialects the meter fields are sent.
     *
     * @param values one or several, in any order; with none, no meter fields are sent
     * @throws IllegalArgumentException if {@link Dialect#X_EPOCH} and {@link Dialect#X_DELTA} are both among them: they
     *     write the same fields
     */
    public HttpMapping dialects(Dialect... values) {
        Set<Dialect> chosen = EnumSet.noneOf(Dialect.class);
        Collections.addAll(chosen, values);
        if (chosen.contains(Dialect.X_EPOCH) && chosen.contains(Dialect.X_DELTA)) {
            throw new IllegalArgumentException(
                    "X_EPOCH and X_DELTA both write X-RateLimit-Reset, choose one of them, but dialects are " + chosen);
        }
        return new HttpMapping(chosen, impossibleStatus, jitter, exhaustedStatus, resetJitterSeconds);
    }

    /**
     * The status for a request of more permits than the limit's capacity, which no wait would help.
     *
     * @param value 429, 400 or 413
     * @throws IllegalArgumentException if it is another
     */
    public HttpMapping impossibleStatus(int value) {
        if (value != TOO_MANY_REQUESTS && value != BAD_REQUEST && value != CONTENT_TOO_LARGE) {
            throw new IllegalArgumentException("impossibleStatus must be 429, 400 or 413 but is " + value);
        }
        return new HttpMapping(dialects, value, jitter, exhaustedStatus, resetJitterSeconds);
    }

    /**
     * Spreads clients that were denied together, so that they do not come back together: each is told to wait longer by
     * a random number of whole seconds. Never shorter; and neither the decision nor the meter fields change.
     *
     * @param percent by how much of the wait at most, 0 to 100; rounded up to a second, since no less can be told
     * @param random drawn from once for each {@code Retry-After}, by whichever thread needs it: must be as thread-safe
     *     as the use of this mapping, like a {@link java.util.Random}. Seed it to know what comes
     * @throws IllegalArgumentException if the percentage is out of range
     */
    public HttpMapping jitter(int percent, RandomGenerator random) {
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException("jitter must be 0 to 100 percent but is " + percent);
        }
        Objects.requireNonNull(random, "random");
        return new HttpMapping(
                dialects,
                impossibleStatus,
                seconds -> seconds + random.nextLong((seconds * percent + 99) / 100 + 1),
                exhaustedStatus,
                resetJitterSeconds);
    }

    /**
     * The status for a request whose quota is exhausted; 403 if not called.
     *
     * @param value 403, 402 or 429
     * @throws IllegalArgumentException if it is another
     */
    public HttpMapping exhaustedStatus(int value) {
        if (value != FORBIDDEN && value != PAYMENT_REQUIRED && value != TOO_MANY_REQUESTS) {
            throw new IllegalArgumentException("exhaustedStatus must be 403, 402 or 429 but is " + value);
        }
        return new HttpMapping(dialects, impossibleStatus, jitter, value, resetJitterSeconds);
    }

    /**
     * Spreads clients that come back when a quota resets: each is told a date that is later by a random number of whole seconds. Never
     * earlier; and the body has the reset itself.
     *
     * @param longest by how much at most, zero to a day; rounded down to seconds
     * @param random as of {@link #jitter}
     * @throws IllegalArgumentException if the time is out of range
     */
    public HttpMapping resetJitter(Duration longest, RandomGenerator random) {
        if (longest.isNegative() || longest.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("resetJitter must be zero to a day but is " + longest);
        }
        Objects.requireNonNull(random, "random");
        long bound = longest.toSeconds() + 1;
        return new HttpMapping(dialects, impossibleStatus, jitter, exhaustedStatus, () -> random.nextLong(bound));
    }

    /**
     * The answer to a request that a quota does not let through: with the date of the reset, and never with a wait.
     *
     * @param denial why
     */
    public HttpAnswer.Denied answer(QuotaAnswer.Denied denial) {
        if (denial instanceof QuotaAnswer.Conflict) {
            return denied(UNPROCESSABLE_CONTENT, Problem.IDEMPOTENCY_KEY_REUSED);
        }
        if (denial instanceof QuotaAnswer.Never never) {
            return new HttpAnswer.Denied(
                    exhaustedStatus,
                    Map.of("Content-Type", Problem.CONTENT_TYPE),
                    Problem.QUOTA_NEVER.body(exhaustedStatus, never.quotas(), null));
        }
        return denial instanceof QuotaAnswer.Exhausted exhausted
                ? exhausted(exhausted.quotas(), exhausted.resetsAt())
                : denied(SERVICE_UNAVAILABLE, Problem.TEMPORARY_REDUCED_CAPACITY);
    }

    private HttpAnswer.Denied exhausted(List<String> quotas, @Nullable Instant resetsAt) {
        Fields fields = new Fields();
        fields.add("Content-Type", Problem.CONTENT_TYPE);
        if (resetsAt != null) {
            fields.add("Retry-After", HttpDate.notBefore(resetsAt, resetJitterSeconds.getAsLong()));
        }
        return new HttpAnswer.Denied(
                exhaustedStatus, fields, Problem.QUOTA_EXCEEDED.body(exhaustedStatus, quotas, null, resetsAt));
    }

    /** The answer to a request whose {@code Idempotency-Key} is none, or missing where it has to be there: 400. */
    public HttpAnswer.Denied idempotencyKeyWrong() {
        return denied(BAD_REQUEST, Problem.IDEMPOTENCY_KEY_WRONG);
    }

    /**
     * The answer to a decision.
     *
     * @param decision made a moment ago
     * @param now the time on the wall; only {@link Dialect#X_EPOCH} speaks of it
     */
    public HttpAnswer answer(Decision decision, Instant now) {
        return answer(List.of(decision), now);
    }

    /**
     * The answer to a request that several limits were asked for, which is denied if one of them denies it.
     *
     * @param decisions made a moment ago, at least one; of several denials the greatest {@linkplain Decision#BY_WAIT by wait} counts,
     *     the first of those that are equal, so that {@code Retry-After} is never too short: where nobody knows the wait of one there is none.
     *     Those of shadows do not count at all
     * @param now the time on the wall; only {@link Dialect#X_EPOCH} speaks of it
     * @throws IllegalArgumentException if there is no decision
     */
    public HttpAnswer answer(List<Decision> decisions, Instant now) {
        if (decisions.isEmpty()) {
            throw new IllegalArgumentException("there is no decision to answer");
        }
        for (Decision decision : decisions) {
            if (decision.limit().isShadow()) {
                return withoutShadows(decisions, now);
            }
        }
        Decision denial = null;
        for (Decision decision : decisions) {
            if (!decision.granted()) {
                denial = denial == null || Decision.BY_WAIT.compare(decision, denial) > 0 ? decision : denial;
            }
        }
        if (denial == null) {
            Fields fields = new Fields();
            writeMeter(decisions, null, now, fields);
            return new HttpAnswer.Granted(fields);
        }
        if (denial.source() == Source.POLICY) {
            // Nobody asked the bucket: no policy was violated, and nobody knows when the store will be back.
            return denied(SERVICE_UNAVAILABLE, Problem.TEMPORARY_REDUCED_CAPACITY);
        }
        int status = denial.impossible() ? impossibleStatus : TOO_MANY_REQUESTS;
        Long retryAfter = retryAfterSeconds(denial);
        if (denial.source() == Source.BLOCKED) {
            return blocked(retryAfter);
        }
        Meter meter = decisions.size() == 1 ? Meter.of(denial).orElse(null) : null;
        if (meter == null) {
            return denied(decisions, denial, status, retryAfter, now);
        }
        Denial toTell = Denial.of(meter, status, retryAfter, now);
        Denial.Told told = last;
        if (told == null || !told.denial().equals(toTell)) {
            told = new Denial.Told(toTell, denied(decisions, denial, status, retryAfter, now));
            last = told;
        }
        return told.answer();
    }

    private HttpAnswer withoutShadows(List<Decision> decisions, Instant now) {
        List<Decision> enforced = decisions.stream()
                .filter(decision -> !decision.limit().isShadow())
                .toList();
        return enforced.isEmpty() ? new HttpAnswer.Granted(Map.of()) : answer(enforced, now);
    }

    private HttpAnswer.Denied denied(
            List<Decision> decisions, Decision denial, int status, @Nullable Long retryAfter, Instant now) {
        Fields fields = new Fields();
        fields.add("Content-Type", Problem.CONTENT_TYPE);
        if (retryAfter != null) {
            fields.add("Retry-After", retryAfter.toString());
        }
        writeMeter(decisions, denial, now, fields);
        return new HttpAnswer.Denied(
                status, fields, Problem.QUOTA_EXCEEDED.body(status, violatedPolicies(denial), retryAfter));
    }

    /**
     * The answer to a request that this node has no room for: 503, with {@code Retry-After}.
     *
     * @param retryAfter after how long to come back; rounded up to whole seconds, at least 1
     */
    public static HttpAnswer.Denied busy(Duration retryAfter) {
        long seconds = Math.max(1, Meter.wholeSeconds(retryAfter));
        Fields fields = new Fields();
        fields.add("Content-Type", Problem.CONTENT_TYPE);
        fields.add("Retry-After", Long.toString(seconds));
        return new HttpAnswer.Denied(
                SERVICE_UNAVAILABLE,
                fields,
                Problem.TEMPORARY_REDUCED_CAPACITY.body(SERVICE_UNAVAILABLE, List.of(), seconds));
    }

    /** The answer to a key that somebody has blocked. No policy was violated, and no balance is known. */
    private static HttpAnswer.Denied blocked(@Nullable Long retryAfter) {
        Fields fields = new Fields();
        fields.add("Content-Type", Problem.CONTENT_TYPE);
        if (retryAfter != null) {
            fields.add("Retry-After", retryAfter.toString());
        }
        return new HttpAnswer.Denied(
                TOO_MANY_REQUESTS, fields, Problem.ABNORMAL_USAGE.body(TOO_MANY_REQUESTS, List.of(), retryAfter));
    }

    /** The answer to a request that does not say who is asking, where it has to: 403. */
    HttpAnswer.Denied keyMissing() {
        return denied(FORBIDDEN, Problem.KEY_MISSING);
    }

    /** The answer to a request whose path can be read in two ways, where that makes a difference: 400. */
    HttpAnswer.Denied pathAmbiguous() {
        return denied(BAD_REQUEST, Problem.PATH_AMBIGUOUS);
    }

    private static HttpAnswer.Denied denied(int status, Problem problem) {
        return new HttpAnswer.Denied(
                status, Map.of("Content-Type", Problem.CONTENT_TYPE), problem.body(status, List.of(), null));
    }

    /** Of those limits whose balance is known; none if that of the denial is not. */
    private void writeMeter(List<Decision> decisions, @Nullable Decision denial, Instant now, Fields fields) {
        List<Meter> meters = new ArrayList<>(decisions.size());
        Meter decisive = null;
        for (Decision decision : decisions) {
            Meter meter = Meter.of(decision).orElse(null);
            if (meter == null) {
                if (decision == denial) {
                    return;
                }
                continue;
            }
            meters.add(meter);
            boolean heededFirst = decisive == null || meter.remaining() < decisive.remaining();
            decisive = denial == null ? (heededFirst ? meter : decisive) : (decision == denial ? meter : decisive);
        }
        if (decisive == null) {
            return;
        }
        for (Dialect dialect : dialects) {
            dialect.write(meters, decisive, now, fields);
        }
    }

    /** A share says that it is used up, but not which of its bandwidths is: with several, none can be named. */
    private static List<String> violatedPolicies(Decision decision) {
        Limit limit = decision.limit();
        boolean known = limit.bandwidths().size() == 1 || decision.remaining().isPresent();
        return known ? List.of(Meter.policy(decision, Meter.decisive(decision))) : List.of();
    }

    /** Null where no wait would help, and where nobody knows how long it would be. */
    private @Nullable Long retryAfterSeconds(Decision decision) {
        Duration wait = decision.retryAfter().orElse(null);
        if (wait == null) {
            return null;
        }
        // Permits given back in the same step can end the wait at once; still the meter must not name a later moment.
        Duration next = decision.timeToNextPermit().orElse(wait);
        Duration longer = wait.compareTo(next) < 0 ? next : wait;
        return jitter.applyAsLong(Math.max(1, Meter.wholeSeconds(longer)));
    }
}
