package io.weir;

import io.weir.algorithm.Verdict;
import io.weir.store.Source;

/** Meters that count nothing; a test overrides what it looks at. */
class MetersOfNothing implements Meters.OfLimit {

    @Override
    public void decided(Verdict verdict, Source source) {}

    @Override
    public void storeAsked(boolean answered, long nanos) {}

    @Override
    public void inFallback(long nanos) {}
}
