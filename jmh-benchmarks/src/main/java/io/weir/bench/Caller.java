package io.weir.bench;

import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.ThreadParams;

/** A thread that asks for one key after another. */
@State(Scope.Thread)
public class Caller {

    private Strays strays = new Strays();
    private long asked;
    private int position;

    /** Sets threads apart, so that they do not ask for the same keys at the same time. */
    @Setup
    public void setApart(ThreadParams threads) {
        position = threads.getThreadIndex() * 104_729;
    }

    String nextKey(KeySequence sequence) {
        asked++;
        return sequence.at(position++);
    }

    /** Where answers are noted that do not come from where the row says; on any thread, until the iteration ends. */
    Strays strays() {
        return strays;
    }

    /**
     * Judges an iteration.
     *
     * @throws IllegalStateException if more answers came from elsewhere than must
     */
    @TearDown(Level.Iteration)
    public void requireFewStrays() {
        Strays ofIteration = strays;
        long answers = asked;
        strays = new Strays();
        asked = 0;
        ofIteration.requireFewIn(answers);
    }
}
