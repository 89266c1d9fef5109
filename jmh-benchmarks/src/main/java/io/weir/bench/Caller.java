package io.weir.bench;

import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.ThreadParams;

/** A thread that asks for one key after another. */
@State(Scope.Thread)
public class Caller {

    private int position;

    /** Sets threads apart, so that they do not ask for the same keys at the same time. */
    @Setup
    public void setApart(ThreadParams threads) {
        position = threads.getThreadIndex() * 104_729;
    }

    String nextKey(KeySequence sequence) {
        return sequence.at(position++);
    }
}
