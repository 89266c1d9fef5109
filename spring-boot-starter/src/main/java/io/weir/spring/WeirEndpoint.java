package io.weir.spring;

import io.weir.Administration;
import io.weir.BusyKey;
import io.weir.Decision;
import io.weir.KeyLook;
import io.weir.Limit;
import io.weir.LimitHealth;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.store.Directive;
import io.weir.store.OwnerHealth;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * The actuator endpoint {@code weir}: which limits there are, with which numbers, how they stand on this node, and what was said of them at run
 * time. Changes nothing; {@link WeirChangesEndpoint} does.
 */
@Endpoint(id = "weir")
class WeirEndpoint {

    private final Weir weir;
    private final int shownKeys;
    private final int shownDirectives;

    /**
     * @param shownKeys how many of each limit's busiest keys are shown, if keys are watched
     * @param shownDirectives how many directives are shown
     */
    WeirEndpoint(Weir weir, int shownKeys, int shownDirectives) {
        if (shownKeys < 0) {
            throw new IllegalArgumentException("shown keys must be zero or more but are " + shownKeys);
        }
        if (shownDirectives < 0) {
            throw new IllegalArgumentException("shown directives must be zero or more but are " + shownDirectives);
        }
        this.weir = weir;
        this.shownKeys = shownKeys;
        this.shownDirectives = shownDirectives;
    }

    @ReadOperation
    Overview overview() {
        return new Overview(
                weir.limiters().stream()
                        .map(each -> LimitView.of(each, shownKeys))
                        .toList(),
                weir.health().owners().stream().map(OwnerView::of).toList(),
                reading().list(shownDirectives).stream().map(DirectiveView::of).toList(),
                weir.health().behind().toString());
    }

    /** One limit; null, which is answered with 404, if there is none of that name. */
    @ReadOperation
    @Nullable
    LimitView limit(@Selector String name) {
        return weir.limiters().stream()
                .filter(each -> each.limit().name().equals(name))
                .findFirst()
                .map(each -> LimitView.of(each, shownKeys))
                .orElse(null);
    }

    /** One key, by one question to its owner; null, which is answered with 404, if there is no such limit. */
    @ReadOperation
    @Nullable
    KeyView key(@Selector String name, @Selector String key) {
        boolean known =
                weir.limiters().stream().anyMatch(each -> each.limit().name().equals(name));
        return known
                ? KeyView.of(
                        reading().look(name, key),
                        weir.limiter(name).limit().overrideOf(key).isPresent())
                : null;
    }

    private Administration reading() {
        return weir.administration("actuator");
    }

    /**
     * All limits.
     *
     * @param owners the members that own buckets, as far as this node has asked them
     * @param directives what was said at run time and is in force, by limit; no more than are to be shown
     * @param behind for how long this node has not heard of directives
     */
    record Overview(List<LimitView> limits, List<OwnerView> owners, List<DirectiveView> directives, String behind) {}

    /**
     * What was said of a limit or a key at run time. What does not belong to its kind is missing.
     *
     * @param level which cool-down in a row it is, of a block that is a penalty
     */
    record DirectiveView(
            String kind,
            String limit,
            String key,
            long version,
            @Nullable List<BandwidthView> bandwidths,
            @Nullable String until,
            @Nullable Integer level,
            @Nullable String reason,
            String actor,
            String set) {

        static DirectiveView of(Directive directive) {
            Directive.Block block = directive.content() instanceof Directive.Block one ? one : null;
            return new DirectiveView(
                    directive.id().kind().name(),
                    directive.id().limit(),
                    directive.id().key(),
                    directive.version(),
                    bandwidths(directive.content()),
                    block == null
                            ? null
                            : Instant.ofEpochMilli(block.endMillis()).toString(),
                    block == null || block.level() == 0 ? null : block.level(),
                    block == null ? null : block.reason(),
                    directive.actor(),
                    Instant.ofEpochMilli(directive.setMillis()).toString());
        }

        private static @Nullable List<BandwidthView> bandwidths(Directive.Content content) {
            Rule rule = content instanceof Directive.Definition definition
                    ? definition.rule()
                    : content instanceof Directive.KeyNumbers numbers ? numbers.rule() : null;
            return rule == null
                    ? null
                    : rule.algorithm().bandwidths().stream()
                            .map(BandwidthView::of)
                            .toList();
        }
    }

    /** One key. {@code remaining} is missing if its owner did not answer. */
    record KeyView(
            List<BandwidthView> bandwidths,
            @Nullable Long remaining,
            @Nullable String timeToFull,
            String source,
            String blockedFor,
            boolean ownNumbers,
            long heldHere,
            List<SeenView> decisions) {

        /** @param defined whether the limit's definition gives the key numbers of its own */
        static KeyView of(KeyLook look, boolean defined) {
            Decision balance = look.balance();
            OptionalLong remaining = balance.remaining();
            return new KeyView(
                    balance.bandwidths().stream().map(BandwidthView::of).toList(),
                    remaining.isPresent() ? remaining.getAsLong() : null,
                    balance.timeToFull().map(Duration::toString).orElse(null),
                    balance.source().name(),
                    look.blockedFor().toString(),
                    defined
                            || look.ownNumbers()
                                    .filter(each -> !each.isWithdrawn())
                                    .isPresent(),
                    look.heldHere(),
                    look.decisions().stream().map(SeenView::of).toList());
        }
    }

    /** One decision of this node. */
    record SeenView(String ago, long permits, String verdict, String source) {

        static SeenView of(KeyLook.Seen seen) {
            return new SeenView(
                    seen.ago().toString(),
                    seen.permits(),
                    seen.verdict().name(),
                    seen.source().name());
        }
    }

    /** One limit. Times are in ISO 8601. {@code shadowOf} is missing unless it stands beside another. */
    record LimitView(
            String name,
            boolean on,
            String algorithm,
            List<BandwidthView> bandwidths,
            String failurePolicy,
            String deadline,
            boolean exact,
            boolean strictPartitions,
            long debt,
            String carryOver,
            boolean shadow,
            @Nullable String shadowOf,
            long version,
            String state,
            String lasting,
            @Nullable String why,
            long answeredByPolicy,
            String inFallback,
            List<BusyKeyView> busiestKeys) {

        static LimitView of(Limiter limiter, int shownKeys) {
            Limit limit = limiter.limit();
            LimitHealth health = limiter.health();
            return new LimitView(
                    limit.name(),
                    limiter.isOn(),
                    limit.rule().algorithm().kind().name(),
                    limit.bandwidths().stream().map(BandwidthView::of).toList(),
                    limit.failurePolicy().name(),
                    limit.deadline().toString(),
                    limit.isExact(),
                    limit.isStrictPartitions(),
                    limit.debt(),
                    limit.rule().carryOver().name(),
                    limit.isShadow(),
                    limit.shadowOf().orElse(null),
                    limit.rule().version(),
                    health.state().name(),
                    health.lasting().toString(),
                    health.why(),
                    health.answeredByPolicy(),
                    health.inFallback().toString(),
                    limiter.busiestKeys(shownKeys).stream().map(BusyKeyView::of).toList());
        }
    }

    /** A key that asks for much: estimates, of the last minute or so. {@code headroom} is missing if it is not known. */
    record BusyKeyView(
            String key, long asked, long denied, @Nullable Double headroom) {

        static BusyKeyView of(BusyKey busy) {
            OptionalDouble headroom = busy.headroom();
            return new BusyKeyView(
                    busy.key(), busy.asked(), busy.denied(), headroom.isPresent() ? headroom.getAsDouble() : null);
        }
    }

    /** One bandwidth: {@code refill} permits return in each {@code period}. */
    record BandwidthView(String name, long capacity, long refill, String period) {

        static BandwidthView of(Bandwidth bandwidth) {
            return new BandwidthView(
                    bandwidth.name(),
                    bandwidth.capacity(),
                    bandwidth.refill(),
                    bandwidth.period().toString());
        }
    }

    /** One member. */
    record OwnerView(
            String member,
            String state,
            String lasting,
            @Nullable String why) {

        static OwnerView of(OwnerHealth owner) {
            return new OwnerView(
                    owner.member(), owner.state().name(), owner.lasting().toString(), owner.why());
        }
    }
}
