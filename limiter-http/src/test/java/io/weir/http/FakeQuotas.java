package io.weir.http;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Quotas that answer what a test tells them to, and write down what becomes of each request. */
final class FakeQuotas implements HttpQuotas {

    /** What was asked for and, of what was granted, how it ended. */
    final List<String> events = Collections.synchronizedList(new ArrayList<>());

    final List<QuotaRequest> asked = Collections.synchronizedList(new ArrayList<>());

    /** Goes to zero with the first end. */
    final CountDownLatch ended = new CountDownLatch(1);

    volatile QuotaAnswer answer = new QuotaAnswer.Granted(hold(), false);
    /** How many ends fail before one does not. */
    final AtomicInteger failures = new AtomicInteger();

    @Override
    public QuotaAnswer take(QuotaRequest request) {
        asked.add(request);
        events.add((request.estimate() ? "reserve " : "spend ") + request.amount());
        return answer;
    }

    private QuotaHold hold() {
        return new QuotaHold() {
            @Override
            public void settle(long actual) {
                note("settle " + actual);
            }

            @Override
            public void release() {
                note("release");
            }
        };
    }

    private void note(String event) {
        if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            events.add(event + " fails");
            throw new IllegalStateException("the ledger is away");
        }
        events.add(event);
        ended.countDown();
    }

    void awaitEnd() throws InterruptedException {
        if (!ended.await(20, TimeUnit.SECONDS)) {
            throw new AssertionError("nothing has ended, but " + events);
        }
    }
}
