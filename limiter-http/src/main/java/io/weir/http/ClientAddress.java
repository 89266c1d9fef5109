package io.weir.http;

import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import inet.ipaddr.IPAddressStringParameters;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The address of the client as a key. Immutable.
 *
 * <p>Unless proxies are named, it is the address at the other end of the connection, and what a client writes into a
 * header field changes nothing. Of requests that come from one of the named proxies, the field that proxies write is
 * read from its right end, where the nearest of them writes, past the addresses of further proxies, to the first that is not one.
 * An entry that is no address ends the search, and the proxy that wrote it counts as the client; so does the one after the
 * {@value #MAX_HOPS}nd.
 *
 * <p>An IPv6 address counts by its first 64 bits, since that is what a single customer is given at least. An IPv4 address
 * within IPv6 is the same client as without.
 */
public final class ClientAddress implements KeyResolver {

    /** As many proxies as a request is followed through. */
    private static final int MAX_HOPS = 32;

    private static final int IPV6_BITS = 128;
    private static final int IPV6_CUSTOMER = 64;

    /** An address and nothing else: the library also reads ranges, wildcards, and one number for a whole address. */
    private static final IPAddressStringParameters ADDRESS = new IPAddressStringParameters.Builder()
            .allowEmpty(false)
            .allowAll(false)
            .allowSingleSegment(false)
            .allowPrefix(false)
            .allowMask(false)
            .allowWildcardedSeparator(false)
            .setRangeOptions(inet.ipaddr.AddressStringParameters.RangeParameters.NO_RANGE)
            .getIPv4AddressParametersBuilder()
            .allow_inet_aton(false)
            .allowLeadingZeros(false)
            .getParentBuilder()
            .getIPv6AddressParametersBuilder()
            .allowBase85(false)
            .getParentBuilder()
            .toParams();

    private static final IPAddressStringParameters NETWORK =
            ADDRESS.toBuilder().allowPrefix(true).toParams();

    private final List<IPAddress> proxies;
    private final ForwardedBy forwardedBy;
    private final int ipv6Prefix;

    private ClientAddress(List<IPAddress> proxies, ForwardedBy forwardedBy, int ipv6Prefix) {
        this.proxies = proxies;
        this.forwardedBy = forwardedBy;
        this.ipv6Prefix = ipv6Prefix;
    }

    /** The address at the other end of the connection: for servers that clients reach without a proxy. */
    public static ClientAddress ofConnection() {
        return new ClientAddress(List.of(), ForwardedBy.X_FORWARDED_FOR, IPV6_CUSTOMER);
    }

    /**
     * The same, except for connections from these proxies: what they say about their client is believed.
     *
     * @param networks addresses, such as {@code 10.0.0.1}, and networks, such as {@code 10.0.0.0/8} or {@code fd00::/8}; name
     *     no more than your own
     * @throws IllegalArgumentException if one is neither, or is an IPv4 address or network in the form that it has within IPv6
     */
    public ClientAddress behind(String... networks) {
        return new ClientAddress(
                Arrays.stream(networks).map(ClientAddress::network).toList(), forwardedBy, ipv6Prefix);
    }

    /**
     * Which field the proxies write; {@link ForwardedBy#X_FORWARDED_FOR} if not called. It is only one, since a client can write
     * the other past a proxy that knows only one.
     */
    public ClientAddress readFrom(ForwardedBy field) {
        return new ClientAddress(proxies, field, ipv6Prefix);
    }

    /**
     * By how many bits of an IPv6 address clients are told apart.
     *
     * @param bits 1 to 128; 64 if not called
     * @throws IllegalArgumentException if it is out of range
     */
    public ClientAddress ipv6Prefix(int bits) {
        if (bits < 1 || bits > IPV6_BITS) {
            throw new IllegalArgumentException("ipv6Prefix must be 1 to 128 bits but is " + bits);
        }
        return new ClientAddress(proxies, forwardedBy, bits);
    }

    @Override
    public Optional<String> resolve(IncomingRequest request) {
        String peer = request.peer();
        if (proxies.isEmpty() && peer.indexOf(':') < 0) {
            return Optional.of(peer); // the server wrote it: an IPv4 address needs no second look
        }
        IPAddress address = address(peer);
        if (address == null) {
            return Optional.of(peer); // not over IP: a socket of this machine, say
        }
        return Optional.of(key(isProxy(address) ? beyond(address, request.field(forwardedBy.field())) : address));
    }

    private IPAddress beyond(IPAddress proxy, List<String> lines) {
        IPAddress nearest = proxy;
        int hops = 0;
        for (int line = lines.size() - 1; line >= 0; line--) {
            EntriesFromTheRight entries = new EntriesFromTheRight(lines.get(line));
            for (String entry = entries.next(); entry != null; entry = entries.next()) {
                String text = ++hops > MAX_HOPS ? null : forwardedBy.address(entry);
                IPAddress next = text == null ? null : address(text);
                if (next == null) {
                    return nearest;
                }
                if (!isProxy(next)) {
                    return next;
                }
                nearest = next;
            }
        }
        return nearest;
    }

    private boolean isProxy(IPAddress address) {
        for (IPAddress network : proxies) {
            if (network.contains(address)) {
                return true;
            }
        }
        return false;
    }

    private String key(IPAddress address) {
        return address.isIPv6() && ipv6Prefix < IPV6_BITS
                ? address.setPrefixLength(ipv6Prefix).toPrefixBlock().toCompressedString()
                : address.toCanonicalString();
    }

    /** IPv4 within IPv6 as IPv4, without a zone; null if it is none. */
    private static @Nullable IPAddress address(String text) {
        IPAddress address = new IPAddressString(text, ADDRESS).getAddress();
        if (address == null) {
            return null;
        }
        if (address.isIPv6()) {
            return address.toIPv6().isIPv4Mapped()
                    ? address.toIPv6().getEmbeddedIPv4Address()
                    : address.toIPv6().removeZone();
        }
        return address;
    }

    private static IPAddress network(String text) {
        IPAddress network = new IPAddressString(text, NETWORK).getAddress();
        if (network == null) {
            throw noProxy("must be an address or a network, such as 10.0.0.0/8,", text);
        }
        IPAddress first = network.getLower();
        if (first.isIPv6() && first.toIPv6().isIPv4Mapped()) { // as which no client is ever seen here
            throw noProxy("must be written as IPv4, such as 10.0.0.0/8, where it is IPv4 within IPv6,", text);
        }
        return network.toPrefixBlock();
    }

    private static IllegalArgumentException noProxy(String why, String text) {
        return new IllegalArgumentException(
                "trusted proxy " + why + " but is \"" + text.replaceAll("[^ -~]", "?") + "\"");
    }

    /** The field in which a proxy says whom it forwards for. */
    public enum ForwardedBy {

        /** {@code X-Forwarded-For: 203.0.113.50, 10.0.0.7}; a port may stand behind an address. */
        X_FORWARDED_FOR("X-Forwarded-For") {
            @Override
            @Nullable
            String address(String entry) {
                return withoutPort(entry);
            }
        },

        /** {@code Forwarded: for=203.0.113.50;proto=https, for="[2001:db8::1]:4711"} (RFC 7239). */
        FORWARDED("Forwarded") {
            @Override
            @Nullable
            String address(String entry) {
                for (String pair : entry.split(";", -1)) { // no address holds one
                    String trimmed = pair.trim();
                    if (trimmed.regionMatches(true, 0, "for=", 0, 4)) {
                        String value = trimmed.substring(4).trim();
                        boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
                        return withoutPort(quoted ? value.substring(1, value.length() - 1) : value);
                    }
                }
                return null;
            }
        };

        private final String field;

        ForwardedBy(String field) {
            this.field = field;
        }

        String field() {
            return field;
        }

        /** What stands for an address in an entry, if anything does. */
        abstract @Nullable String address(String entry);

        private static @Nullable String withoutPort(String text) {
            if (text.startsWith("[")) {
                int end = text.indexOf(']');
                boolean onlyPort = end > 0 && (end == text.length() - 1 || text.charAt(end + 1) == ':');
                return onlyPort ? text.substring(1, end) : null;
            }
            int colon = text.indexOf(':');
            boolean port = colon >= 0 && colon == text.lastIndexOf(':'); // an IPv6 address has more than one
            return port ? text.substring(0, colon) : text;
        }
    }

    /** The entries of a list, the last first, without looking at more than are asked for. Quotes keep commas together. */
    private static final class EntriesFromTheRight {
        private final String line;
        private int end;

        EntriesFromTheRight(String line) {
            this.line = line;
            this.end = line.length();
        }

        /** Null if there is none left. Empty entries are no entries (RFC 9110). */
        @Nullable
        String next() {
            while (end >= 0) {
                int comma = end - 1;
                for (boolean quoted = false; comma >= 0 && (quoted || line.charAt(comma) != ','); comma--) {
                    quoted ^= line.charAt(comma) == '"';
                }
                String entry = line.substring(comma + 1, end).trim();
                end = comma;
                if (!entry.isEmpty()) {
                    return entry;
                }
            }
            return null;
        }
    }
}
