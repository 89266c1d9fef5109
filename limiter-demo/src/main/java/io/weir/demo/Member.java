package io.weir.demo;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.weir.KeyWatch;
import io.weir.Weir;
import io.weir.console.Console;
import io.weir.console.ConsoleMeters;
import io.weir.hazelcast.HazelcastStore;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A JVM of the cluster. It writes one line when it is ready, or why it cannot be, and lives until its standard input
 * ends: so it ends along with its launcher, however that ends.
 */
@Command(name = "member")
final class Member implements Callable<Integer> {

    static final String READY = "READY";

    private static final String NAMESPACE = "demo";

    /** What docs/hazelcast.md recommends: a fault is over within seconds. */
    private static final Map<String, String> RECOMMENDED = Map.of(
            "hazelcast.heartbeat.interval.seconds", "1",
            "hazelcast.max.no.heartbeat.seconds", "10",
            "hazelcast.operation.call.timeout.millis", "5000",
            "hazelcast.operation.backup.timeout.millis", "1000",
            "hazelcast.socket.connect.timeout.seconds", "1",
            "hazelcast.merge.first.run.delay.seconds", "10",
            "hazelcast.merge.next.run.delay.seconds", "5");

    /** How long a signal is put off for the launcher to end the demo in its own order. */
    private static final Duration GRACE = Duration.ofSeconds(3);

    @Mixin
    private final Settings settings = new Settings();

    @Option(names = "--number", required = true)
    private int number;

    public static void main(String[] args) {
        int exitCode = new CommandLine(new Member())
                .setExecutionExceptionHandler((exception, commandLine, parsed) -> {
                    System.out.println(exception.getMessage());
                    return 1;
                })
                .execute(args);
        Runtime.getRuntime().halt(exitCode); // the whole cluster goes: nothing is worth saving
    }

    @Override
    public Integer call() throws IOException {
        keepSignalsWaiting();
        HazelcastInstance hazelcast = Hazelcast.newHazelcastInstance(config());
        ConsoleMeters meters = ConsoleMeters.create();
        Weir weir = Weir.over(HazelcastStore.join(hazelcast, NAMESPACE))
                .limit(settings.limit())
                .watchKeys(KeyWatch.create())
                .meters(meters)
                .build();
        Console console = Console.of(weir, meters).node("member " + number).build();
        HelloServer.start(
                settings.httpPort(number), weir.limiter(settings.limit().name()), console);
        System.out.println(READY);
        System.in.transferTo(OutputStream.nullOutputStream());
        return 0;
    }

    /**
     * Ctrl-C reaches every process of a terminal at once, but the launcher still has requests under way: it is the one
     * to say when it is over.
     */
    private static void keepSignalsWaiting() {
        Thread member = Thread.currentThread();
        Thread waiting = new Thread(() -> {
            try {
                member.join(GRACE.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Runtime.getRuntime().addShutdownHook(waiting);
    }

    /** Nothing but loopback: no multicast, no calls home, no other interface. */
    private Config config() {
        Config config = HazelcastStore.configure(new Config(), NAMESPACE)
                .setClusterName("weir-demo")
                .setProperty("hazelcast.logging.type", "none")
                .setProperty("hazelcast.phone.home.enabled", "false")
                .setProperty("hazelcast.shutdownhook.enabled", "false")
                .setProperty("hazelcast.socket.bind.any", "false")
                .setProperty("hazelcast.wait.seconds.before.join", "0");
        RECOMMENDED.forEach(config::setProperty);
        config.getJetConfig().setEnabled(false);
        config.getNetworkConfig()
                .setPort(settings.hazelcastPort(number))
                .setPortAutoIncrement(false)
                .setPublicAddress(Settings.LOOPBACK + ":" + settings.reachedPort(number))
                .addOutboundPortDefinition(settings.callingPorts(number))
                .getInterfaces()
                .setEnabled(true)
                .addInterface(Settings.LOOPBACK);
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true);
        for (int member = 1; member <= Settings.MEMBERS; member++) {
            join.getTcpIpConfig().addMember(Settings.LOOPBACK + ":" + settings.reachedPort(member));
        }
        return config;
    }
}
