package io.weir.spring;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What requests cost that nobody could be charged for: told when it begins, and in all when the database is back. Thread-safe. */
final class Uncharged {

    private static final System.Logger LOG = System.getLogger(LedgerQuotas.class.getName());

    private final AtomicLong requests = new AtomicLong();
    private final LongAdder cost = new LongAdder();

    void add(long amount) {
        cost.add(amount);
        if (requests.getAndIncrement() == 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The database of quotas is away: what requests cost that their policy let pass is charged to nobody."
                            + " How much that was is said once it answers.");
        }
    }

    /** The database answers. */
    void tell() {
        if (requests.get() == 0) {
            return;
        }
        long count = requests.getAndSet(0);
        if (count > 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "While the database of quotas was away, " + count + " requests that their policy let pass cost "
                            + cost.sumThenReset() + ", which nobody was charged.");
        }
    }
}
