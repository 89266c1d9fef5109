package io.weir.demo;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What has to be so before the first member starts. Whatever is not, is told in one line. */
final class StartChecks {

    /** As much as the three members take, heaps and all. */
    static final long NEEDED_MEGABYTES = Settings.MEMBERS * 200L;

    private static final Path MEMINFO = Path.of("/proc/meminfo");
    private static final Pattern AVAILABLE = Pattern.compile("MemAvailable: +(\\d+) kB");

    private StartChecks() {}

    /**
     * Makes all checks.
     *
     * @throws CannotStartException for the first one that fails
     */
    static void run(Settings settings) throws IOException {
        requireModule("jdk.httpserver");
        requireMemory(availableMegabytes());
        requireFreePorts(settings);
    }

    static void requireModule(String name) {
        if (ModuleLayer.boot().findModule(name).isEmpty()) {
            throw new CannotStartException(
                    "this Java (" + System.getProperty("java.home") + ") runs without the module " + name
                            + ": use a complete JDK, or start it with --add-modules " + name);
        }
    }

    static void requireMemory(long availableMegabytes) {
        if (availableMegabytes < NEEDED_MEGABYTES) {
            throw new CannotStartException("three members need " + NEEDED_MEGABYTES + " MB of memory but only "
                    + availableMegabytes + " MB are available: close other programs or enlarge the container");
        }
    }

    /** Takes all ports at once before it gives them back, so that two members cannot be given the same one. */
    static void requireFreePorts(Settings settings) throws IOException {
        List<ServerSocket> taken = new ArrayList<>();
        try {
            for (int member = 1; member <= Settings.MEMBERS; member++) {
                taken.add(take(settings.httpPort(member), "--http-port", Settings.MEMBERS));
                taken.add(take(settings.hazelcastPort(member), "--hazelcast-port", 2 * Settings.MEMBERS));
                taken.add(take(settings.reachedPort(member), "--hazelcast-port", 2 * Settings.MEMBERS));
            }
        } finally {
            for (ServerSocket socket : taken) {
                socket.close();
            }
        }
    }

    /** @param count how many ports in a row the option is for */
    private static ServerSocket take(int port, String option, int count) throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return socket;
        } catch (IOException e) {
            socket.close();
            throw new CannotStartException("port " + port + " cannot be used (" + e.getMessage() + "): choose " + count
                    + " free ones in a row with " + option);
        }
    }

    /**
     * What can be used without swapping, if the system says so. Elsewhere all that there is: what a system calls free
     * leaves out what it would free when asked.
     */
    private static long availableMegabytes() throws IOException {
        // A container's limit shows in the total only.
        long total =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize() >> 20;
        if (!Files.exists(MEMINFO)) {
            return total;
        }
        Matcher available = AVAILABLE.matcher(Files.readString(MEMINFO));
        return available.find() ? Math.min(total, Long.parseLong(available.group(1)) >> 10) : total;
    }
}
