package io.weir.chaos;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The packet filter of one network namespace, as one of two programs sets it. */
enum Firewall {
    NFT {
        @Override
        void set(List<String> inNamespace, Map<String, Weather> bySource) {
            StringBuilder rules = new StringBuilder("""
                    add table ip weir
                    add chain ip weir input { type filter hook input priority 0 ; }
                    flush chain ip weir input
                    """);
            bySource.forEach((source, weather) -> rules.append("add rule ip weir input ip saddr ")
                    .append(source)
                    .append(weather.resets() ? " tcp flags & rst == 0 reject with tcp reset\n" : " drop\n"));
            Shell.feed(rules.toString(), command(inNamespace, "nft", "-f", "-"));
        }
    },

    IPTABLES {
        @Override
        void set(List<String> inNamespace, Map<String, Weather> bySource) {
            Shell.run(command(inNamespace, "iptables", "-F", "INPUT"));
            bySource.forEach((source, weather) -> Shell.run(command(
                    inNamespace,
                    ("iptables -A INPUT -s " + source
                                    + (weather.resets()
                                            ? " -p tcp ! --tcp-flags RST RST -j REJECT --reject-with tcp-reset"
                                            : " -j DROP"))
                            .split(" "))));
        }
    };

    /**
     * Drops or rejects what comes into a namespace from some addresses, and nothing else. Resets are let through where others
     * are sent, or each side would drop the other's.
     *
     * @param inNamespace the command that has another one run there
     */
    abstract void set(List<String> inNamespace, Map<String, Weather> bySource);

    private static String[] command(List<String> inNamespace, String... words) {
        return Stream.concat(inNamespace.stream(), Arrays.stream(words)).toArray(String[]::new);
    }
}
