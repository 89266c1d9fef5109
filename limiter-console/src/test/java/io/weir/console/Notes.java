package io.weir.console;

import io.weir.algorithm.Bandwidth;
import io.weir.console.NodeNote.KeyLine;
import io.weir.console.NodeNote.LimitLine;
import io.weir.console.NodeNote.OwnerLine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Notes to test with. */
final class Notes {

    static final long SECOND = Duration.ofSeconds(1).toNanos();

    /** Markup, control characters, both ends of a surrogate pair, a change of direction, a quote. */
    static final String HOSTILE = "<script>alert(1)</script>\"'\\\u0000\u001b[31m\r\n\u202e\ud83d\ude00";

    private Notes() {}

    /** Of a node that has counted for a second. */
    static NodeNote note(String node, long tick, LimitLine... limits) {
        return new NodeNote(node, tick, SECOND, 0, false, limits.length, 0, false, List.of(), List.of(limits));
    }

    static NodeNote withOwners(NodeNote note, OwnerLine... owners) {
        return new NodeNote(
                note.node(),
                note.tick(),
                note.lastingNanos(),
                note.behindMillis(),
                note.masked(),
                note.limitsInAll(),
                note.dropped(),
                note.keysDropped(),
                List.of(owners),
                note.limits());
    }

    static LimitLine limit(String name, long granted, long denied, KeyLine... keys) {
        return limit(name, 1, null, granted, denied, keys);
    }

    /** @param why what has failed; null unless it is degraded */
    static LimitLine limit(
            String name, long version, @Nullable String why, long granted, long denied, KeyLine... keys) {
        return new LimitLine(
                name,
                "TOKEN_BUCKET",
                "LOCAL_SHARE",
                version,
                true,
                false,
                false,
                null,
                List.of(Bandwidth.of(100, 50 * version, Duration.ofSeconds(1))),
                why != null,
                why,
                why == null ? 0 : 1_500,
                why == null ? 0 : 7,
                tally(granted, denied),
                tally(10 * granted, 10 * denied),
                List.of(keys));
    }

    /** All of them local. */
    static Tally tally(long granted, long denied) {
        long[] bySource = new long[Tally.SOURCES.size()];
        bySource[0] = granted + denied;
        return new Tally(granted, denied, 0, bySource);
    }

    static KeyLine key(String key, long asked, long denied, double headroom) {
        return new KeyLine(key, asked, denied, OptionalDouble.of(headroom));
    }

    /** Anything that may be in a note. */
    static NodeNote random(RandomGenerator random) {
        List<OwnerLine> owners = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            owners.add(new OwnerLine(text(random), random.nextBoolean(), number(random), textOrNull(random)));
        }
        List<LimitLine> limits = new ArrayList<>();
        for (int i = random.nextInt(20); i > 0; i--) {
            limits.add(limit(random));
        }
        return new NodeNote(
                text(random),
                number(random),
                number(random),
                number(random),
                random.nextBoolean(),
                limits.size() + random.nextInt(3),
                random.nextInt(5),
                random.nextBoolean(),
                owners,
                limits);
    }

    private static LimitLine limit(RandomGenerator random) {
        List<Bandwidth> bandwidths = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            bandwidths.add(Bandwidth.of(
                            1 + random.nextInt(1_000_000),
                            1 + random.nextInt(1_000),
                            Duration.ofNanos(1 + random.nextInt(1_000_000_000)))
                    .named("b" + i));
        }
        List<KeyLine> keys = new ArrayList<>();
        for (int i = random.nextInt(NodeNote.MOST_KEYS + 1); i > 0; i--) {
            keys.add(new KeyLine(
                    text(random),
                    number(random),
                    number(random),
                    random.nextBoolean() ? OptionalDouble.empty() : OptionalDouble.of(random.nextInt(1_001) / 1e3)));
        }
        return new LimitLine(
                text(random),
                text(random),
                text(random),
                number(random),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean(),
                textOrNull(random),
                bandwidths,
                random.nextBoolean(),
                textOrNull(random),
                number(random),
                number(random),
                tally(random, true),
                tally(random, false),
                keys);
    }

    private static Tally tally(RandomGenerator random, boolean withSources) {
        long[] bySource = new long[Tally.SOURCES.size()];
        for (int i = 0; withSources && i < bySource.length; i++) {
            bySource[i] = random.nextBoolean() ? 0 : number(random);
        }
        return new Tally(number(random), number(random), number(random), bySource);
    }

    /** Of any size. */
    private static long number(RandomGenerator random) {
        return random.nextLong() >>> (1 + random.nextInt(63));
    }

    private static String text(RandomGenerator random) {
        return switch (random.nextInt(4)) {
            case 0 -> HOSTILE;
            case 1 -> "per-client";
            case 2 -> "ключ-" + random.nextInt(10);
            default -> "k".repeat(1 + random.nextInt(Shown.LONGEST));
        };
    }

    private static @Nullable String textOrNull(RandomGenerator random) {
        return random.nextBoolean() ? null : text(random);
    }
}
