package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientAddressTest {

    private static final ClientAddress BEHIND_ONE = ClientAddress.ofConnection().behind("10.0.0.1");

    private static String key(ClientAddress resolver, FakeRequest request) {
        return resolver.resolve(request).orElseThrow();
    }

    private static String forwarded(ClientAddress resolver, String... lines) {
        return key(resolver, FakeRequest.get("/").from("10.0.0.1").with("X-Forwarded-For", lines));
    }

    @Test
    void ignoresTheFieldUnlessAProxyIsNamed() {
        FakeRequest request = FakeRequest.get("/").from("203.0.113.9").with("X-Forwarded-For", "198.51.100.1");

        assertThat(key(ClientAddress.ofConnection(), request)).isEqualTo("203.0.113.9");
    }

    @Test
    void ignoresTheFieldOfAClientThatIsNoProxy() {
        FakeRequest request = FakeRequest.get("/").from("203.0.113.9").with("X-Forwarded-For", "198.51.100.1");

        assertThat(key(BEHIND_ONE, request)).isEqualTo("203.0.113.9");
    }

    @Test
    void countsWhomTheProxySawWhateverAClientWroteBefore() {
        for (int i = 1; i <= 20; i++) {
            assertThat(forwarded(BEHIND_ONE, "198.51.100." + i + ", 203.0.113.50"))
                    .isEqualTo("203.0.113.50");
        }
    }

    @Test
    void goesPastFurtherProxies() {
        ClientAddress resolver = ClientAddress.ofConnection().behind("10.0.0.0/8", "fd00::/8");

        assertThat(forwarded(resolver, "198.51.100.1, 203.0.113.50, 10.1.2.3, fd00::7, 10.9.9.9"))
                .isEqualTo("203.0.113.50");
    }

    @Test
    void joinsLinesInTheirOrder() {
        ClientAddress resolver = ClientAddress.ofConnection().behind("10.0.0.0/8");

        assertThat(forwarded(resolver, "198.51.100.1", "203.0.113.50, 10.2.2.2", "10.3.3.3"))
                .isEqualTo("203.0.113.50");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "198.51.100.1, garbage",
                "198.51.100.1, 1",
                "198.51.100.1, 0x7f.1",
                "198.51.100.1, *",
                "198.51.100.1, 203.0.113.0/24",
                "198.51.100.1, 203.0.113.1-9",
                "198.51.100.1, unknown",
                "198.51.100.1, _hidden",
                "198.51.100.1, 203.0.113.050",
                "198.51.100.1, [2001:db8::1",
                "198.51.100.1, [2001:db8::1]x",
                "198.51.100.1, :80",
                "198.51.100.1, \"",
                " , ,",
                ""
            })
    void fallsBackToTheProxyWhereItsEntryIsNoAddress(String line) {
        assertThat(forwarded(BEHIND_ONE, line)).isEqualTo("10.0.0.1");
    }

    @Test
    void stopsAtTheNearestProxyWhereAnEntryBehindItIsNoAddress() {
        ClientAddress resolver = ClientAddress.ofConnection().behind("10.0.0.0/8");

        assertThat(forwarded(resolver, "198.51.100.1, garbage, 10.2.2.2, 10.3.3.3"))
                .isEqualTo("10.2.2.2");
    }

    @ParameterizedTest
    @CsvSource({
        "203.0.113.50:1234, 203.0.113.50",
        "[2001:db8:1:2:3::1]:1234, 2001:db8:1:2::/64",
        "[2001:db8:1:2:3::1], 2001:db8:1:2::/64",
        "2001:db8:1:2:3::1, 2001:db8:1:2::/64",
        "::ffff:203.0.113.50, 203.0.113.50",
        "2001:DB8:1:2:0:0:0:9, 2001:db8:1:2::/64",
        "::1, ::/64",
    })
    void readsAddressesAsProxiesWriteThem(String entry, String key) {
        assertThat(forwarded(BEHIND_ONE, "198.51.100.1, " + entry)).isEqualTo(key);
    }

    @Test
    void countsIpv6ByTheBitsThatWereAskedFor() {
        FakeRequest request = FakeRequest.get("/").from("2001:db8:1:2:3:4:5:6");

        assertThat(key(ClientAddress.ofConnection(), request)).isEqualTo("2001:db8:1:2::/64");
        assertThat(key(ClientAddress.ofConnection().ipv6Prefix(56), request)).isEqualTo("2001:db8:1::/56");
        assertThat(key(ClientAddress.ofConnection().ipv6Prefix(128), request)).isEqualTo("2001:db8:1:2:3:4:5:6");
    }

    @Test
    void takesAMappedPeerForTheProxyThatItIs() {
        FakeRequest request = FakeRequest.get("/").from("::ffff:10.0.0.1").with("X-Forwarded-For", "203.0.113.50");

        assertThat(key(BEHIND_ONE, request)).isEqualTo("203.0.113.50");
    }

    @Test
    void leavesOutTheZoneOfALocalAddress() {
        assertThat(key(ClientAddress.ofConnection(), FakeRequest.get("/").from("fe80:0:0:0:1:2:3:4%eth0")))
                .isEqualTo("fe80::/64");
    }

    @Test
    void readsTheStandardField() {
        ClientAddress resolver =
                ClientAddress.ofConnection().behind("10.0.0.0/8").readFrom(ClientAddress.ForwardedBy.FORWARDED);
        FakeRequest request = FakeRequest.get("/")
                .from("10.0.0.1")
                .with("X-Forwarded-For", "198.51.100.77")
                .with(
                        "Forwarded",
                        "for=198.51.100.1;by=\"a,b\"",
                        "For=\"[2001:db8:cafe::17]:4711\";proto=https, proto=http;for=10.4.4.4");

        assertThat(key(resolver, request)).isEqualTo("2001:db8:cafe::/64");
    }

    @Test
    void anOpenQuoteOfAClientDoesNotSwallowWhatTheProxyWrote() {
        ClientAddress resolver =
                ClientAddress.ofConnection().behind("10.0.0.1").readFrom(ClientAddress.ForwardedBy.FORWARDED);
        FakeRequest request =
                FakeRequest.get("/").from("10.0.0.1").with("Forwarded", "for=\"198.51.100.1, for=203.0.113.50");

        assertThat(key(resolver, request)).isEqualTo("203.0.113.50");
    }

    @Test
    void looksAtNoMoreOfALongListThanItMust() {
        ClientAddress resolver = ClientAddress.ofConnection().behind("10.0.0.0/8");
        String garbage = String.join(", ", Collections.nCopies(10_000, "x".repeat(50)));
        String proxies = String.join(
                ", ", IntStream.range(0, 10_000).mapToObj(i -> "10.0.0.7").toList());

        FakeRequest behindGarbage =
                FakeRequest.get("/").from("10.0.0.1").with("X-Forwarded-For", garbage + ", 203.0.113.50");
        FakeRequest behindProxies =
                FakeRequest.get("/").from("10.0.0.1").with("X-Forwarded-For", "198.51.100.1, " + proxies);

        // Looked at whole, the lists would take minutes.
        assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
            for (int i = 0; i < 10_000; i++) {
                assertThat(key(resolver, behindGarbage)).isEqualTo("203.0.113.50");
                assertThat(key(resolver, behindProxies)).isEqualTo("10.0.0.7");
            }
        });
    }

    @Test
    void takesWhatIsNoAddressAsItIs() {
        assertThat(key(BEHIND_ONE, FakeRequest.get("/").from("unix"))).isEqualTo("unix");
    }

    @Test
    void refusesWhatIsNoNetwork() {
        for (String wrong : List.of("10.0.0", "10.0.0.0/33", "proxy.example.com", "", "*", "10.0.0.1-9", "10", "/8")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ClientAddress.ofConnection().behind(wrong))
                    .withMessage("trusted proxy must be an address or a network, such as 10.0.0.0/8, but is \"" + wrong
                            + "\"");
        }
        for (String mapped : List.of("::ffff:10.0.0.1", "::ffff:10.0.0.0/104", "::ffff:0:0/96", "::FFFF:a00:1/128")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ClientAddress.ofConnection().behind(mapped))
                    .withMessage(
                            "trusted proxy must be written as IPv4, such as 10.0.0.0/8, where it is IPv4 within IPv6,"
                                    + " but is \"" + mapped + "\"");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClientAddress.ofConnection().ipv6Prefix(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClientAddress.ofConnection().ipv6Prefix(129));
    }
}
