package io.weir.http;

import static io.weir.http.Position.BEFORE_AUTHENTICATION;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that do not read their denials hold up nobody but themselves. */
@ParameterizedClass
@EnumSource
@Timeout(60)
class ContainerSlowReadersTest {

    private static final int SLOW = 4;
    private static final long MOST_BYTES = 256_000_000;
    private static final long STUCK_NANOS = 500_000_000;

    private static final String REQUESTS = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1_000);

    private final Container container;

    ContainerSlowReadersTest(Container container) {
        this.container = container;
    }

    @Test
    void othersAreServedAndNothingPilesUp() throws Exception {
        try (Limits limits = Limits.of(Limits.perMinute("five", 5));
                Container.Running server = start(limits)) {
            limits.drain("five", "127.0.0.1");
            List<RawConnection> slow = new ArrayList<>();
            List<AtomicLong> sent = new ArrayList<>();
            try {
                for (int i = 0; i < SLOW; i++) {
                    RawConnection connection = new RawConnection(server, 4_096);
                    slow.add(connection);
                    sent.add(sending(connection));
                }
                awaitStuck(sent);
                Client other = new Client(server);
                for (int i = 0; i < 20; i++) {
                    assertThat(slow.get(0).received().read())
                            .as("a byte now and then")
                            .isNotNegative();
                    assertThat(other.get("/").statusCode()).isEqualTo(429);
                }
                assertThat(sent)
                        .allSatisfy(bytes -> assertThat(bytes.get())
                                .as("bytes that the server took from who does not read")
                                .isLessThan(MOST_BYTES));
            } finally {
                for (RawConnection connection : slow) {
                    connection.close();
                }
            }
        }
    }

    private Container.Running start(Limits limits) throws Exception {
        HttpLimits http = limits.http(Route.limitedBy("five", "/**", ClientAddress.ofConnection()))
                .build();
        return container.start(Application.of(context -> {
            Application.filter(context, "weir", new RateLimitFilter(http, BEFORE_AUTHENTICATION));
            Application.serve(context, "/", (request, response) -> {});
        }));
    }

    /** Sends requests until the server takes no more of them, or far too many. */
    private static AtomicLong sending(RawConnection connection) {
        AtomicLong sent = new AtomicLong();
        Thread sender = new Thread(() -> {
            try {
                while (sent.get() < MOST_BYTES) {
                    connection.send(REQUESTS);
                    sent.addAndGet(REQUESTS.length());
                }
            } catch (IOException e) {
                // closed at the end of the test: what was sent until then is what counts
            }
        });
        sender.setDaemon(true);
        sender.start();
        return sent;
    }

    private static void awaitStuck(List<AtomicLong> sent) {
        long before = -1;
        long sinceNanos = System.nanoTime();
        while (System.nanoTime() - sinceNanos < STUCK_NANOS) {
            long now = sent.stream().mapToLong(AtomicLong::get).sum();
            if (now != before) {
                before = now;
                sinceNanos = System.nanoTime();
            }
            LockSupport.parkNanos(10_000_000);
        }
    }
}
