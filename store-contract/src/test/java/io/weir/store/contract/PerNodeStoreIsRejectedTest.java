package io.weir.store.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.weir.store.LocalStore;
import io.weir.store.Store;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;

/** A test that stays green with a per-node store proves nothing of a shared one; here are those that do not. */
class PerNodeStoreIsRejectedTest {

    @Test
    void failsExactlyTheTestsThatNeedSharedBuckets() {
        Events tests = EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(PerNodeStore.class))
                .execute()
                .testEvents();

        assertThat(methods(tests.failed()))
                .containsExactlyInAnyOrder(
                        "aKeyWithARuleOfItsOwnHasOneBucketWhoeverKnows",
                        "answersAnyStepsLikeTheOracle",
                        "carriesTheBalanceOverInProportionWhenTheLimitChanges",
                        "carriesTheBalanceOverToAnotherAlgorithmAndBack",
                        "changesNothingByADenial",
                        "chargesWhatIsLessThanAPermitToo",
                        "chargesWhatWasGrantedElsewhereDownToZero",
                        "countsAFifthOfAPermitASecond",
                        "countsIntervalsBelowAMillisecond",
                        "countsLimitsApart",
                        "decidesABatchLikeItsRequestsInSequence",
                        "decidesByTheNewerVersionWhicheverNodeIsAsked",
                        "decidesSeveralBandwidthsTogether",
                        "earnsNoTimeTwiceWhenTheClockStepsBack",
                        "everyKeyCanHaveARuleOfItsOwn",
                        "givesBackAndChargesWhateverTheAlgorithm",
                        "givesBackNoMoreThanALoweredCapacity",
                        "grantsAPeekOfAnEmptyBucketAndChargesNothing",
                        "grantsExactlyAtTheInstantItPromised",
                        "grantsExactlyAtTheInstantThatTheAlgorithmPromised",
                        "grantsExactlyTheCapacityToManyThreadsOnAllNodes",
                        "grantsNoMoreOverAllNodesThanTheAlgorithmDoes",
                        "grantsOncePerPeriodToWhoeverTriesEachSecond",
                        "grantsUpToCapacityOverAllNodesAndThenDenies",
                        "grantsWhatAClockThatMovesAheadSeemsToEarnOnce",
                        "isFullAndNotFullerAfterAHundredYears",
                        "isNotFrozenByAClockThatWasAnHourAhead",
                        "keepsABucketForEveryString",
                        "keepsTheFractionWhenTheLimitChanges",
                        "letsContinuationsBlock",
                        "liftsNoBalanceAboveCapacityByAGiveBack",
                        "neitherGainsNorLosesAPermitWhileTheClockMoves",
                        "refillsNothingByANewName",
                        "refusesNegativePermitsAtOnce",
                        "remembersABucketFromItsLastChangeOn",
                        "remembersADrainedBucketOfOnePermit");
        assertThat(methods(tests.succeeded()))
                .containsExactlyInAnyOrder(
                        "answersClosedOnceClosed",
                        "completesEveryCallThatWaitsWhenItIsClosed",
                        "createsNothingByAGiveBackOfAnUnknownKey",
                        "createsNothingByAPeek",
                        "handsOutTheSameBucketsAgainUnderTheRuleItIsGiven",
                        "ignoresAChangeToAnOlderVersion",
                        "mayBeClosedTwice",
                        "neverGrantsMoreThanCapacityAndCreatesNothingByIt",
                        "refusesABatchOfNoneOrTooManyAtOnce",
                        "refusesANullKeyAtOnce",
                        "saysAmongHowManyNodesOrNothing",
                        "staysFullUnderTakesThatAreAllGivenBack",
                        "tellsOfAKeyWhatItWasLastAnsweredOrNothing");
    }

    private static Set<String> methods(Events tests) {
        return tests.stream()
                .map(Event::getTestDescriptor)
                .map(test -> ((MethodSource) test.getSource().orElseThrow()).getMethodName())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Nested and not {@code @Nested}, so that no build runs it as a test of its own. */
    static final class PerNodeStore extends StoreContract {

        @Override
        protected List<Store> open(int nodes, ManualClock clock) {
            return Stream.generate(() -> (Store) LocalStore.create(clock, LocalStore.DEFAULT_MAX_KEYS))
                    .limit(nodes)
                    .toList();
        }
    }
}
