package io.weir.store.contract;

import io.weir.store.LocalStore;
import io.weir.store.Store;
import java.util.Collections;
import java.util.List;

/** The nodes of a JVM are its threads: all of them have the same store. */
class LocalStoreContractTest extends StoreContract {

    @Override
    protected List<Store> open(int nodes, ManualClock clock) {
        return Collections.nCopies(nodes, LocalStore.create(clock, LocalStore.DEFAULT_MAX_KEYS));
    }
}
