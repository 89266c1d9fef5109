/**
 * What every store has to pass, also one of a third party.
 *
 * <p>{@link io.weir.store.contract.StoreContract} is the suite. A store that shares its buckets among nodes, and decides
 * by {@link io.weir.algorithm.Rule}, passes it; one whose nodes keep buckets of their own does not. To put a store to
 * it, depend on this module in test scope and inherit:
 *
 * <pre>{@code
 * class MyStoreContractTest extends StoreContract {
 *
 *     private final Server server = Server.start();
 *
 *     @Override
 *     protected List<Store> open(int nodes, ManualClock clock) {
 *         return Stream.generate(() -> (Store) new MyStore(server, clock)).limit(nodes).toList();
 *     }
 *
 *     @AfterEach
 *     void stopServer() {
 *         server.stop();
 *     }
 * }
 * }</pre>
 *
 * <p>The suite decides when time passes, through a {@link io.weir.store.contract.ManualClock} that stands still until it
 * is moved: no test sleeps, and every instant is exact. A store must therefore let its tests replace the clock that its
 * buckets are decided by. What the suite cannot test is left to the store: that a deadline is held, what an outage
 * does, that entries vanish, and whatever it remembers between two calls.
 *
 * <p>{@link io.weir.store.contract.ExactBucket} says what one key must be answered, in rational numbers.
 * {@link io.weir.store.contract.HistoryChecker} says whether what a whole cluster granted, as its callers saw it, can
 * have been within a bound. Neither shares any arithmetic with the code that it judges. Both are of use beyond the
 * suite, to simulations and to tests of whole clusters.
 */
@NullMarked
package io.weir.store.contract;

import org.jspecify.annotations.NullMarked;
