package io.weir.spring;

import io.weir.Limit;
import io.weir.LimitHealth;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.store.OwnerHealth;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** The actuator endpoint {@code weir}: which limits there are, with which numbers, and how they stand on this node. Changes nothing. */
@Endpoint(id = "weir")
final class WeirEndpoint {

    private final Weir weir;

    WeirEndpoint(Weir weir) {
        this.weir = weir;
    }

    @ReadOperation
    Overview overview() {
        return new Overview(
                weir.limiters().stream().map(LimitView::of).toList(),
                weir.health().owners().stream().map(OwnerView::of).toList());
    }

    /** One limit; null, which is answered with 404, if there is none of that name. */
    @ReadOperation
    @Nullable
    LimitView limit(@Selector String name) {
        return weir.limiters().stream()
                .filter(each -> each.limit().name().equals(name))
                .findFirst()
                .map(LimitView::of)
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
            String inFallback) {

        static LimitView of(Limiter limiter) {
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
                    health.inFallback().toString());
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
