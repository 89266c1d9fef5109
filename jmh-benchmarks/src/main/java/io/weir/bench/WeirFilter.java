package io.weir.bench;

import com.hazelcast.core.HazelcastInstance;
import io.weir.Decision;
import io.weir.Weir;
import io.weir.hazelcast.HazelcastStore;
import io.weir.http.HttpLimits;
import io.weir.http.KeyResolver;
import io.weir.http.Position;
import io.weir.http.RateLimitFilter;
import io.weir.http.Route;
import io.weir.store.Source;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Weir's filter over its Hazelcast store. */
final class WeirFilter implements LimitingFilter {

    static final String LIMIT = "per-client";

    private final HazelcastStore store;
    private final Weir weir;
    private final RateLimitFilter filter;
    private final Source source;

    WeirFilter(HazelcastInstance hazelcast, Outcome outcome) {
        store = HazelcastStore.join(hazelcast, ClusterBenchmark.NAMESPACE);
        weir = Weir.over(store).limit(outcome.limit(LIMIT)).build();
        HttpLimits limits = HttpLimits.over(weir)
                .route(Route.limitedBy(LIMIT, "/api/**", KeyResolver.field(ServletPeer.KEY_FIELD)))
                .build();
        filter = new RateLimitFilter(limits, Position.BEFORE_AUTHENTICATION);
        source = outcome == Outcome.GRANTED ? Source.LEASE : Source.DENY_CACHE;
    }

    @Override
    public Filter filter() {
        return filter;
    }

    @Override
    public @Nullable Source stray(ServletRequest request) {
        List<?> decisions = (List<?>) request.getAttribute(HttpLimits.DECISIONS);
        Source actual = ((Decision) decisions.get(0)).source();
        return actual == source ? null : actual;
    }

    @Override
    public void close() {
        weir.close();
        store.close();
    }
}
