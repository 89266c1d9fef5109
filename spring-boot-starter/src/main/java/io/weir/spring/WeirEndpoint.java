package io.weir.spring;

import io.weir.BusyKey;
import io.weir.Limit;
import io.weir.LimitHealth;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.store.OwnerHealth;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** The actuator endpoint {@code weir}: which limits there are, with which numbers, and how they stand on this node. Changes nothing. */
@Endpoint(id = "weir")
final class WeirEndpoint {

    private final Weir weir;
    private final int shownKeys;

    /** @param shownKeys how many of each limit's busiest keys are shown, if keys are watched */
    WeirEndpoint(Weir weir, int shownKeys) {
        if (shownKeys < 0) {
            throw new IllegalArgumentException("shown keys must be zero or more but are " + shownKeys);
        }
        this.weir = weir;
        this.shownKeys = shownKeys;
    }

    @ReadOperation
    Overview overview() {
        return new Overview(
                weir.limiters().stream()
                        .map(each -> LimitView.of(each, shownKeys))
                        .toList(),
                weir.health().owners().stream().map(OwnerView::of).toList());
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

    /**
     * All limits.
     *
     * @param owners the members that own buckets, as far as this node has asked them
     */
    record Overview(List<LimitView> limits, List<OwnerView> owners) {}

    /** One limit. Times are in ISO 8601. */
    record LimitView(
            String name,
            boolean on,
            List<BandwidthView> bandwidths,
            String failurePolicy,
            String deadline,
            boolean exact,
            boolean strictPartitions,
            long version,
            String state,
            String lasting,
            @Nullable String why,
            long answeredByPolicy,
            String inFallback,
            List<KeyView> busiestKeys) {

        static LimitView of(Limiter limiter, int shownKeys) {
            Limit limit = limiter.limit();
            LimitHealth health = limiter.health();
            return new LimitView(
                    limit.name(),
                    limiter.isOn(),
                    limit.bandwidths().stream().map(BandwidthView::of).toList(),
                    limit.failurePolicy().name(),
                    limit.deadline().toString(),
                    limit.isExact(),
                    limit.isStrictPartitions(),
                    limit.rule().version(),
                    health.state().name(),
                    health.lasting().toString(),
                    health.why(),
                    health.answeredByPolicy(),
                    health.inFallback().toString(),
                    limiter.busiestKeys(shownKeys).stream().map(KeyView::of).toList());
        }
    }

    /** A key that asks for much: estimates, of the last minute or so. {@code headroom} is missing if it is not known. */
    record KeyView(
            String key, long asked, long denied, @Nullable Double headroom) {

        static KeyView of(BusyKey busy) {
            OptionalDouble headroom = busy.headroom();
            return new KeyView(
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
