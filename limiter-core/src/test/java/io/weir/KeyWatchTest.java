package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.within;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.PackedBucket;
import io.weir.algorithm.Verdict;
import io.weir.store.LocalStore;
import io.weir.store.NanoClock;
import io.weir.store.Source;
import io.weir.store.StoredKey;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class KeyWatchTest {

    private static final Duration DAY = Duration.ofDays(1);

    private final AtomicLong nowNanos = new AtomicLong();
    private final FaultyStore store = new FaultyStore(nowNanos, OptionalInt.of(1));
    private final BlockingQueue<KeyAtCap> told = new LinkedBlockingQueue<>();

    private Weir weir(FailurePolicy policy, @Nullable KeyWatch watch) {
        Weir.Builder builder = Weir.over(store)
                .limit(limit(policy))
                .time(nowNanos::get, duration -> nowNanos.addAndGet(duration.toNanos()));
        return (watch == null ? builder : builder.watchKeys(watch)).build();
    }

    private static Limit limit(FailurePolicy policy) {
        return Limit.named("api", policy).bandwidth(Bandwidth.of(10, 10, DAY)).build();
    }

    private Limiter watched() {
        return weir(FailurePolicy.DENY, KeyWatch.create()).limiter("api");
    }

    /** By a bucket that is full. */
    private static Decision decision(Verdict verdict) {
        Limit limit = limit(FailurePolicy.DENY);
        PackedBucket packed = PackedBucket.of(limit.rule(), 0, 0).orElseThrow();
        return Decision.packed(new Asked(limit, null), "any", 1, verdict, packed, 0, 0, 0);
    }

    private static BusyKey busy(String key, long asked, long denied, double headroom) {
        return new BusyKey(key, asked, denied, OptionalDouble.of(headroom));
    }

    @Test
    void tellsTheBusiestKeysFirst() {
        Limiter limiter = watched();
        limiter.tryAcquire("seldom");
        limiter.tryAcquire("often", 4);
        for (int i = 0; i < 15; i++) {
            limiter.tryAcquire("mostly");
        }

        List<BusyKey> all = List.of(busy("mostly", 15, 5, 0), busy("often", 4, 0, 0.6), busy("seldom", 1, 0, 0.9));
        assertThat(limiter.busiestKeys(10)).isEqualTo(all);
        assertThat(limiter.busiestKeys(2)).isEqualTo(all.subList(0, 2));
        assertThat(limiter.busiestKeys(0)).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.busiestKeys(-1))
                .withMessageEndingWith("is -1");
    }

    @Test
    void tellsNoneUnlessTheyAreWatched() {
        Limiter limiter = weir(FailurePolicy.DENY, null).limiter("api");
        limiter.tryAcquire("a");

        assertThat(limiter.busiestKeys(10)).isEmpty();
    }

    @Test
    void countsEveryWayOfAskingButNoPeeks() throws InterruptedException {
        Limiter limiter = watched();
        limiter.tryAcquire("a");
        limiter.tryAcquireAsync("a").join();
        limiter.acquire("a", 8, Duration.ZERO);
        limiter.acquire("a", 1, DAY); // denied once, and waited out
        limiter.peek("a");
        limiter.peekAsync("b").join();

        assertThat(limiter.busiestKeys(10)).containsExactly(busy("a", 11, 0, 0));
    }

    /** How much that is is the client's to choose, and no bucket decides it. */
    @Test
    void countsNoImpossibleRequests() {
        Limiter limiter = watched();
        limiter.tryAcquire("a", 11);
        limiter.tryAcquire("a", Long.MAX_VALUE);

        assertThat(limiter.busiestKeys(10)).isEmpty();
    }

    @Test
    void countsWhatSharesAnswerAndKnowsNoHeadroomThen() {
        Limiter limiter = weir(FailurePolicy.LOCAL_SHARE, KeyWatch.create()).limiter("api");
        limiter.tryAcquire("a");
        store.failWith(FaultyStore.unreachable());
        for (int i = 0; i < 12; i++) {
            limiter.tryAcquire("a");
        }
        limiter.switchOff();
        limiter.tryAcquire("a");
        assertThat(limiter.busiestKeys(10)).containsExactly(new BusyKey("a", 14, 3, OptionalDouble.empty()));

        limiter.switchOn();
        store.recover();
        limiter.tryAcquire("a");
        assertThat(limiter.busiestKeys(10)).containsExactly(busy("a", 15, 3, 0.8));
    }

    @Test
    void forgetsAKeyAfterAMinuteAtMostAndNotBeforeHalfOfIt() {
        Weir weir = weir(FailurePolicy.DENY, KeyWatch.create());
        Limiter limiter = weir.limiter("api");
        limiter.tryAcquire("a");
        for (int i = 0; i < 119; i++) {
            nowNanos.addAndGet(Upkeep.INTERVAL.toNanos());
            weir.tend();
        }
        limiter.tryAcquire("a");
        nowNanos.addAndGet(Upkeep.INTERVAL.toNanos());
        weir.tend();
        limiter.tryAcquire("a");
        assertThat(limiter.busiestKeys(10)).containsExactly(busy("a", 3, 0, 0.7));

        nowNanos.addAndGet(WatchedKeys.WINDOW.toNanos());
        weir.tend();
        assertThat(limiter.busiestKeys(10)).containsExactly(busy("a", 1, 0, 0.7));
        nowNanos.addAndGet(WatchedKeys.WINDOW.toNanos());
        weir.tend();
        assertThat(limiter.busiestKeys(10)).isEmpty();
    }

    @Test
    void forgetsAllAfterALongPauseAtOnce() {
        Weir weir = weir(FailurePolicy.DENY, KeyWatch.create());
        weir.limiter("api").tryAcquire("a");
        nowNanos.addAndGet(DAY.toNanos());
        weir.tend();

        assertThat(weir.limiter("api").busiestKeys(10)).isEmpty();
    }

    @Test
    void watchesNoKeysOnceItIsClosed() {
        Weir weir = weir(FailurePolicy.GRANT, KeyWatch.create());
        weir.limiter("api").tryAcquire("a");
        weir.close();
        weir.limiter("api").tryAcquire("a");
        weir.tend(); // a round that was under way

        assertThat(weir.limiter("api").busiestKeys(10)).isEmpty();
    }

    @Test
    void tellsOfNoKeyOnceItIsClosed() {
        List<KeyAtCap> news = new ArrayList<>();
        Telling<KeyAtCap> telling = new Telling<>("tests", news::add, Runnable::run, 10);
        WatchedKeys keys = new WatchedKeys(nowNanos::get, new KeysAtCap("api", 0), telling);
        keys.decided("a", decision(Verdict.DENIED));
        keys.close();
        keys.tend();

        assertThat(news).isEmpty();
    }

    @Test
    void keepsOfALongKeyWhatAStoreKeeps() {
        Limiter limiter = watched();
        String one = "k".repeat(1_000_000) + "1";
        String other = "k".repeat(1_000_000) + "2";
        limiter.tryAcquire(one, 3);
        limiter.tryAcquire(other, 2);

        assertThat(limiter.busiestKeys(10))
                .containsExactly(busy(StoredKey.of(one), 3, 0, 0.7), busy(StoredKey.of(other), 2, 0, 0.8))
                .allMatch(each -> each.key().length() <= StoredKey.MAX_LITERAL_LENGTH + 1);
    }

    /** One in 50 of what is asked for, among a million keys that are asked for once each. */
    @Test
    @Timeout(60)
    void knowsABusyKeyAmongAMillionOthersInBoundedMemory() {
        WatchedKeys keys = new WatchedKeys(nowNanos::get, new KeysAtCap("api", 0), null);
        Decision granted = decision(Verdict.GRANTED);
        Decision denied = decision(Verdict.DENIED);
        List<WeakReference<String>> everyHundredth = new ArrayList<>();
        for (int i = 0; i < 1_000_000; i++) {
            String key = "client-" + i;
            keys.decided(key, i % 3 == 0 ? granted : denied);
            if (i % 100 == 0) {
                everyHundredth.add(new WeakReference<>(key));
            }
            if (i % 50 == 0) {
                keys.decided("busy", granted);
            }
            if (i % 1_000 == 0) {
                keys.tend();
            }
        }

        List<BusyKey> busiest = keys.busiest(10);
        assertThat(busiest.get(0).key()).isEqualTo("busy");
        // It was asked for 20,000 times, and the error is at most 3.5 in 1,024 of all, which is 3,486.
        assertThat(busiest.get(0).asked()).isBetween(20_000L - 3_500, 20_000L + 3_500);
        awaitNearlyAllGone(everyHundredth);
        assertThat(keys.busiest(1)).isEqualTo(busiest.subList(0, 1)); // and it was kept until here
    }

    private static void awaitNearlyAllGone(List<WeakReference<String>> references) {
        // Two windows of two sketches, what is remembered of headroom, and of denials: fewer than 7,000 of a million,
        // of
        // which each is among these with a chance of one in a hundred.
        while (references.stream().filter(each -> each.get() != null).count() > 150) {
            System.gc();
        }
    }

    /** As many asks as there are in a second of a limit that is asked for a million times in it. */
    @Test
    void estimatesByASampleOfWhatIsTooMuchToLookAt() {
        long seed = Long.getLong("weir.seed", new Random().nextLong());
        System.out.println("KeyWatchTest: -Dweir.seed=" + seed);
        Random random = new Random(seed);
        WatchedKeys keys = new WatchedKeys(nowNanos::get, null, null);
        Decision granted = decision(Verdict.GRANTED);
        Decision denied = decision(Verdict.DENIED);
        int[] asked = new int[64];
        for (int i = 0; i < 1_000_000; i++) {
            int key = (int) Math.min(63, Math.abs(random.nextGaussian()) * 16);
            asked[key]++;
            keys.decided("client-" + key, granted);
            if (i % 10_000 == 0) {
                keys.decided("refused", denied);
            }
            if (i % 250_000 == 249_999) {
                keys.tend();
            }
        }

        // Of a million one in 256 is drawn at last, a twentieth of which is this key's 50,000: give or take 3,300, by
        // the dice of the sampling, which have no seed. Half of it is more than seven times that.
        assertThat((double) keys.busiest(100).stream()
                        .filter(each -> each.key().equals("client-0"))
                        .findFirst()
                        .orElseThrow()
                        .asked())
                .isCloseTo(asked[0], within(0.5 * asked[0]));
        assertThat(keys.busiest(100)).contains(busy("refused", 100, 100, 1)); // all of them
    }

    /** The clock is read for each denial that is looked at, and for nothing else on the way of a request. */
    @Test
    void looksAtNoMoreThanItsBudget() {
        AtomicLong readings = new AtomicLong();
        try (Weir weir = Weir.over(LocalStore.create(nowNanos::get, 10))
                .limit(limit(FailurePolicy.DENY))
                .watchKeys(KeyWatch.create().atCap(DAY, told::add))
                .time(readings::incrementAndGet, duration -> {})
                .build()) {
            Limiter limiter = weir.limiter("api");
            limiter.tryAcquire("a", 10);
            long before = readings.get();
            for (int i = 0; i < 1_000_000; i++) {
                limiter.tryAcquire("a");
            }

            // Of the first thousand all, of the next two thousand half, .. : a thousand for each doubling up to a
            // million.
            assertThat(readings.get() - before).isBetween(9_000L, 11_000L);
        }
    }

    /** The most there can be asked for at once, as often as is looked at in a window. */
    @Test
    void countsNoFurtherThanThereAreNumbers() {
        WatchedKeys keys = new WatchedKeys(nowNanos::get, null, null);
        Decision all = Decision.uncounted(limit(FailurePolicy.DENY), Long.MAX_VALUE, Verdict.GRANTED, Source.LOCAL);
        for (int i = 0; i < 1_000_000; i++) {
            keys.decided("a", all);
        }

        assertThat(keys.busiest(1).get(0).asked()).isPositive();
    }

    /** The clock is read while a decision is looked at; another thread asks meanwhile. */
    @Test
    @Timeout(60)
    void holdsUpNobodyWhoAsks() {
        Limit limit = limit(FailurePolicy.DENY);
        Limiter[] asking = {null};
        boolean[] reentered = {false};
        NanoClock clock = () -> {
            Limiter other = asking[0];
            if (other != null && !reentered[0]) {
                reentered[0] = true;
                CompletableFuture.supplyAsync(() -> other.tryAcquire("other"), task -> new Thread(task).start())
                        .join();
            }
            return nowNanos.get();
        };
        Limiter limiter = Weir.over(store)
                .limit(limit)
                .watchKeys(KeyWatch.create().atCap(DAY, told::add))
                .time(clock, duration -> {})
                .build()
                .limiter("api");
        limiter.tryAcquire("a", 10);
        asking[0] = limiter;
        limiter.tryAcquire("a");

        assertThat(reentered[0]).isTrue();
        assertThat(limiter.busiestKeys(10)).containsExactly(busy("a", 11, 1, 0)); // the other was passed over
    }

    @Test
    @Timeout(60)
    void tellsOfAKeyAtItsCapOnceAndOfItsEndOnce() throws InterruptedException {
        try (Weir weir = weir(FailurePolicy.DENY, KeyWatch.create().atCap(Duration.ofSeconds(30), told::add))) {
            Limiter limiter = weir.limiter("api");
            limiter.tryAcquire("well");
            limiter.tryAcquire("a", 10);
            for (int second = 0; second <= 60; second++) {
                limiter.tryAcquire("a");
                weir.tend();
                nowNanos.addAndGet(Duration.ofSeconds(1).toNanos());
            }
            assertThat(told.poll(30, TimeUnit.SECONDS))
                    .isEqualTo(new KeyAtCap("api", "a", false, Duration.ofSeconds(30), 31));

            nowNanos.addAndGet(KeyWatch.GAP.toNanos());
            weir.tend();
            assertThat(told.poll(30, TimeUnit.SECONDS))
                    .isEqualTo(new KeyAtCap("api", "a", true, Duration.ofSeconds(60), 61));
            assertThat(told).isEmpty();
        }
    }

    /** An outage says nothing of whether a key is at its cap. */
    @Test
    @Timeout(60)
    void tellsOfNoKeyThatAPolicyDenied() throws InterruptedException {
        Weir weir = weir(FailurePolicy.DENY, KeyWatch.create().atCap(Duration.ZERO, told::add));
        store.failWith(FaultyStore.unreachable());
        weir.limiter("api").tryAcquire("a");
        assertThat(weir.limiter("api").tryAcquire("b", 11).impossible()).isTrue();
        weir.tend();

        assertThat(weir.limiter("api").busiestKeys(10))
                .extracting(BusyKey::denied)
                .containsExactly(1L);
        store.recover();
        weir.limiter("api").tryAcquire("c", 10);
        weir.limiter("api").tryAcquire("c", 2);
        weir.tend();
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo(new KeyAtCap("api", "c", false, Duration.ZERO, 2));
        weir.close();
    }

    @Test
    @SuppressWarnings("NullAway") // what callers without a null checker can do
    void refusesWhatCannotBe() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyWatch.create().atCap(Duration.ofSeconds(-1), told::add))
                .withMessageEndingWith("is PT-1S");
        assertThatNullPointerException()
                .isThrownBy(() -> KeyWatch.create().atCap(DAY, null))
                .withMessageContaining("listener");
        assertThatNullPointerException()
                .isThrownBy(() -> Weir.over(store).watchKeys(null))
                .withMessageContaining("watch");
    }

    /** Set up once more, it is another one. */
    @Test
    void isImmutable() {
        KeyWatch quiet = KeyWatch.create();
        quiet.atCap(DAY, told::add);

        assertThat(quiet.telling()).isNull();
        assertThat(quiet.atCap(DAY, told::add).telling()).isNotNull();
    }

    @Test
    void countsWhatAShadowWouldHaveDenied() {
        Weir trying = Weir.over(store)
                .limit(Limit.named("tried", FailurePolicy.DENY)
                        .bandwidth(Bandwidth.of(10, 10, DAY))
                        .shadow()
                        .build())
                .time(nowNanos::get, duration -> {})
                .watchKeys(KeyWatch.create())
                .build();
        Limiter limiter = trying.limiter("tried");
        for (int i = 0; i < 15; i++) {
            limiter.tryAcquire("mostly");
        }
        limiter.tryAcquire("impossible", 11);

        assertThat(limiter.busiestKeys(2)).containsExactly(busy("mostly", 15, 5, 0));
    }
}
