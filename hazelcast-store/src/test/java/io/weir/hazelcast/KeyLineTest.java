package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class KeyLineTest {

    private final KeyLine line = new KeyLine("key", "limit:key", new Memory(Remembering.NOTHING, new LeaseTotals(), 0));
    private final LongSupplier numbers = new AtomicLong()::incrementAndGet;

    @Test
    void hasOneCallInFlight() {
        line.join(waiter(1, 100));
        KeyLine.Flight first = depart();
        line.join(waiter(1, 100));

        assertThat(line.depart(numbers, Rules.THOUSAND, 0)).isNull();
        assertThat(line.land(first, null, 0)).isTrue();
        assertThat(line.depart(numbers, Rules.THOUSAND, 0)).isNotNull();
    }

    @Test
    void whoComesBeforeTheDoorsCloseGoesAlong() {
        Waiter queued = waiter(1, 100);
        Waiter back = waiter(1, 100);
        line.join(waiter(1, 100));
        KeyLine.Flight first = depart();
        line.join(queued);
        line.land(first, null, 0);
        assertThat(line.boardAfter(first, 0)).isTrue();
        line.join(back);

        assertThat(line.boardAfter(first, 0)).as("has begun").isFalse();
        assertThat(line.depart(numbers, Rules.THOUSAND, 0)).as("still boarding").isNull();
        assertThat(line.retireIfIdle(true, 0)).isFalse();
        line.closeDoors();
        assertThat(depart().waiters()).containsExactly(queued, back);
    }

    @Test
    void doorsThatNobodyClosesAreClosedInTheEnd() {
        line.join(waiter(1, 100));
        assertThat(line.board(0)).isTrue();

        line.tend(KeyLine.IDLE.toNanos());
        assertThat(line.depart(numbers, Rules.THOUSAND, 0)).isNull();
        assertThat(line.tend(KeyLine.IDLE.toNanos() + 1)).isTrue();
        assertThat(line.depart(numbers, Rules.THOUSAND, 0)).isNotNull();
    }

    @Test
    void whoIsAloneDoesNotBoard() {
        line.join(waiter(1, 100));
        line.land(depart(), null, 0);
        line.join(waiter(1, 100));

        assertThat(line.depart(numbers, Rules.THOUSAND, 0)).isNotNull();
    }

    @Test
    void aCallWaitsForTheLatestOfItsWaiters() {
        line.join(waiter(1, 100));
        line.join(waiter(1, 300));
        line.join(waiter(1, 200));
        KeyLine.Flight flight = depart();

        assertThat(flight.deadlineNanos()).isEqualTo(300);
        line.giveUpExpired(299);
        assertThat(line.land(flight, null, 0)).isTrue();
    }

    @Test
    void theAnswerOfACallThatWasGivenUpCountsForNothing() {
        line.join(waiter(1, 100));
        KeyLine.Flight lost = depart();
        line.giveUpExpired(100);
        line.join(waiter(1, 300));
        KeyLine.Flight next = depart();

        assertThat(line.land(lost, null, 0)).isFalse();
        assertThat(line.land(next, null, 0)).isTrue();
        assertThat(line.land(next, null, 0)).as("a call ends once").isFalse();
    }

    @Test
    void aCallThatLeavesLaterHasALargerNumber() {
        line.join(waiter(1, 100));
        KeyLine.Flight lost = depart();
        line.giveUpExpired(100);
        line.join(waiter(1, 300));
        KeyLine.Flight next = depart();

        assertThat(next.number()).isGreaterThan(lost.number());
        assertThat(line.isInFlight(lost)).isFalse();
        assertThat(line.isInFlight(next)).isTrue();
    }

    @Test
    void leavesOutWhoHasLeft() {
        Waiter gone = waiter(1, 100);
        Waiter here = waiter(1, 200);
        line.join(gone);
        line.join(here);
        gone.fail(new IllegalStateException("left"));

        assertThat(depart().waiters()).containsExactly(here);
    }

    @Test
    void neverTearsOneWaitersRequestsApart() {
        List<Waiter> waiters = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Waiter waiter = waiter(100, 100);
            waiters.add(waiter);
            line.join(waiter);
        }
        List<Waiter> left = new ArrayList<>();
        for (int calls = 0; calls < 3; calls++) {
            KeyLine.Flight flight = depart();
            assertThat(flight.waiters()).hasSizeLessThanOrEqualTo(2);
            left.addAll(flight.waiters());
            line.land(flight, null, 0);
        }
        assertThat(left).isEqualTo(waiters);
    }

    @Test
    void aWaiterWithMoreRequestsThanACallCarriesTravelsAlone() {
        Waiter large = waiter(KeyLine.MAX_REQUESTS_IN_CALL + 1, 100);
        line.join(large);
        line.join(waiter(1, 100));

        assertThat(depart().waiters()).containsExactly(large);
    }

    @Test
    void isRetiredWhenNobodyWaitsAndThenTakesNobody() {
        line.join(waiter(1, 100));
        KeyLine.Flight flight = depart();
        assertThat(line.retireIfIdle(false, 0)).isFalse();
        line.land(flight, null, 0);

        assertThat(line.retireIfIdle(false, 0)).isTrue();
        assertThat(line.join(waiter(1, 100))).isFalse();
        assertThat(line.rejoin(List.of(waiter(1, 100)))).isFalse();
        assertThat(line.depart(numbers, Rules.THOUSAND, 0)).isNull();
    }

    @Test
    void whoRejoinsGoesFirstAndInOrder() {
        Waiter first = waiter(1, 100);
        Waiter second = waiter(1, 100);
        Waiter third = waiter(1, 100);
        line.join(third);
        line.rejoin(List.of(first, second));

        assertThat(depart().waiters()).containsExactly(first, second, third);
    }

    @Test
    void disbandsEverybody() {
        Waiter flying = waiter(1, 100);
        Waiter queued = waiter(1, 100);
        line.join(flying);
        depart();
        line.join(queued);

        assertThat(line.disband(0)).containsExactlyInAnyOrder(flying, queued);
        assertThat(line.join(waiter(1, 100))).isFalse();
    }

    private KeyLine.Flight depart() {
        return Objects.requireNonNull(line.depart(numbers, Rules.THOUSAND, 0));
    }

    private static Waiter waiter(int requests, long deadlineNanos) {
        return new Waiter.Parked(Collections.nCopies(requests, new Request.Take(1)), deadlineNanos);
    }
}
