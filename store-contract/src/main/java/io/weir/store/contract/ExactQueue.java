package io.weir.store.contract;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import io.weir.algorithm.Verdict;
import java.util.List;

/**
 * The oracle of a leaky bucket: an {@link ExactBucket} of the room in its queue, of which only a full one grants.
 */
final class ExactQueue implements Oracle {

    private final ExactBucket room;

    private ExactQueue(ExactBucket room) {
        this.room = room;
    }

    static ExactQueue idle(Rule rule, long nowNanos) {
        return new ExactQueue(ExactBucket.full(ofRoom(rule), nowNanos));
    }

    private static Rule ofRoom(Rule rule) {
        return new Rule(rule.version(), new TokenBucket(rule.algorithm().bandwidths()));
    }

    @Override
    public Verdict take(Rule rule, long permits, long nowNanos) {
        room.take(ofRoom(rule), 0, nowNanos);
        List<Bandwidth> bandwidths = room.rule().algorithm().bandwidths();
        boolean possible = bandwidths.stream().allMatch(each -> permits <= each.capacity());
        for (int i = 0; permits > 0 && possible && i < bandwidths.size(); i++) {
            if (remaining(i) == 0) {
                // As much as is not there, so that the room hears of a request that it would have granted.
                room.take(ofRoom(rule), bandwidths.get(i).capacity(), nowNanos);
                return Verdict.DENIED;
            }
        }
        return room.take(ofRoom(rule), permits, nowNanos);
    }

    @Override
    public Verdict giveBack(Rule rule, long permits, long nowNanos) {
        return room.giveBack(ofRoom(rule), permits, nowNanos);
    }

    @Override
    public Verdict charge(Rule rule, long permits, long nowNanos) {
        return room.charge(ofRoom(rule), permits, nowNanos);
    }

    @Override
    public Rule rule() {
        Rule rule = room.rule();
        return new Rule(
                rule.version(),
                Algorithm.Kind.LEAKY_BUCKET.with(rule.algorithm().bandwidths()));
    }

    @Override
    public long atNanos() {
        return room.atNanos();
    }

    @Override
    public long remaining(int bandwidth) {
        long capacity = room.rule().algorithm().bandwidths().get(bandwidth).capacity();
        return room.remaining(bandwidth) == capacity ? capacity : 0;
    }

    @Override
    public long readyAtNanos(int bandwidth, long permits) {
        return permits <= remaining(bandwidth)
                ? atNanos()
                : room.readyAtNanos(
                        bandwidth,
                        room.rule().algorithm().bandwidths().get(bandwidth).capacity());
    }
}
