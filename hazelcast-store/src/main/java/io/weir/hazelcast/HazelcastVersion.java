package io.weir.hazelcast;

import com.hazelcast.instance.BuildInfoProvider;
import com.hazelcast.version.MemberVersion;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which Hazelcast is on the class path, and which one Weir needs. {@link OwnerCalls} goes below Hazelcast's public interfaces,
 * so that an older one may lack what it calls, and a newer one too.
 */
final class HazelcastVersion {

    /** The oldest that the tests run on, and the one that Spring Boot 3.5 and 4.1 bring. */
    static final MemberVersion OLDEST = MemberVersion.of(5, 5, 0);

    private static final String REMEDY =
            "Set it in your build; where Spring Boot chooses it, by the property hazelcast.version.";

    /** Major and minor: what follows is written in more ways than {@link MemberVersion} reads. */
    private static final Pattern NUMBERS = Pattern.compile("(\\d{1,6})\\.(\\d{1,6})");

    private HazelcastVersion() {}

    /**
     * Refuses what is too old, before anything of it is called. A version that cannot be read is somebody's own, and let through.
     *
     * @throws IllegalStateException naming the version that was found, and the one that is needed
     */
    static void require() {
        String found = found();
        Matcher numbers = NUMBERS.matcher(found);
        if (numbers.lookingAt()
                && MemberVersion.of(Integer.parseInt(numbers.group(1)), Integer.parseInt(numbers.group(2)), 0)
                                .compareTo(OLDEST)
                        < 0) {
            throw new IllegalStateException(
                    "Weir needs Hazelcast " + OLDEST + " or newer, but " + found + " is on the class path. " + REMEDY);
        }
    }

    /** For a version that is new enough by its number, and lacks something all the same. */
    static IllegalStateException lacks(LinkageError missing) {
        return new IllegalStateException(
                "Hazelcast " + found() + " does not have what Weir calls, which was tested with " + OLDEST
                        + " and with those that its README names. " + REMEDY,
                missing);
    }

    private static String found() {
        return BuildInfoProvider.getBuildInfo().getVersion();
    }
}
