package io.weir.bench;

import io.weir.store.Source;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.ThreadParams;

/** A thread that asks for one key after another. */
@State(Scope.Thread)
public class Caller {

    /** What is answered from memory has to be fetched now and then, but not more often than that. */
    private static final int ONE_FROM_ELSEWHERE_IN = 100;

    private final AtomicLong fromElsewhere = new AtomicLong();
    private long asked;
    private int position;
    private volatile Source lastElsewhere = Source.LOCAL;

    /** Sets threads apart, so that they do not ask for the same keys at the same time. */
    @Setup
    public void setApart(ThreadParams threads) {
        position = threads.getThreadIndex() * 104_729;
    }

    String nextKey(KeySequence sequence) {
        asked++;
        return sequence.at(position++);
    }

    /** An answer did not come from where the row says that all do; on any thread. */
    void answeredElsewhere(Source source) {
        lastElsewhere = source;
        fromElsewhere.incrementAndGet();
    }

    /**
     * Judges an iteration.
     *
     * @throws IllegalStateException if more answers came from elsewhere than must
     */
    @TearDown(Level.Iteration)
    public void requireSource() {
        long elsewhere = fromElsewhere.getAndSet(0);
        long of = asked;
        asked = 0;
        if (elsewhere > 1 + of / ONE_FROM_ELSEWHERE_IN) {
            throw new IllegalStateException(elsewhere + " of " + of
                    + " answers did not come from where this row says, but from " + lastElsewhere);
        }
    }
}
