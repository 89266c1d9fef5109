package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.internal.serialization.InternalSerializationService;
import com.hazelcast.internal.serialization.impl.DefaultSerializationServiceBuilder;
import com.hazelcast.internal.serialization.impl.HeapData;
import io.weir.algorithm.Algorithm.Kind;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.BucketState;
import io.weir.algorithm.CarryOver;
import io.weir.algorithm.Penalty;
import io.weir.algorithm.QueueState;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.TokenBucket;
import io.weir.algorithm.Verdict;
import io.weir.algorithm.WindowState;
import io.weir.store.Directive;
import io.weir.store.DirectiveTable;
import io.weir.store.Directives.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Holds the layouts of docs/wire-format.md to bytes that are checked in: what one version wrote, every later one reads.
 * The files are never changed; a new layout gets new ones.
 */
@Tag("each-hazelcast")
class WireTest {

    /** Where a frame begins in Hazelcast's form of one of our objects: after its header, flag, ids and the length. */
    private static final int FRAME_OFFSET = HeapData.DATA_OFFSET + 1 + 4 + 4 + 4;

    private static final UUID NODE = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    private static final UUID OWNER = UUID.fromString("ffeeddcc-bbaa-9988-7766-554433221100");
    private static final long NOW = 1_800_000_000_123_000_000L;
    private static final Rule TWO_BANDWIDTHS = new Rule(
            7,
            new TokenBucket(List.of(
                    Bandwidth.of(10, 10, Duration.ofSeconds(1)).named("burst"),
                    Bandwidth.of(1_000_000, 1, Duration.ofDays(1)).named("daily"))));
    private static final BucketState IN_DEBT = BucketState.restore(
            TWO_BANDWIDTHS, 1_800_000_000_123_000_000L, -3, 99_999_999, 999_999, 86_399_999_999_999L);

    private final InternalSerializationService serialization = new DefaultSerializationServiceBuilder().build();

    /** A wire object, the file with its bytes, and what of it can be compared. */
    record Golden(String file, Wire written) {
        @Override
        public String toString() {
            return file;
        }
    }

    static Stream<Golden> golden() {
        return Stream.of(
                new Golden(
                        "bucket-call",
                        new BucketCall(
                                NODE,
                                42,
                                TWO_BANDWIDTHS,
                                List.of(
                                        new BucketCall.Timed(new Request.Take(3), 1_800_000_000_173_000_000L),
                                        new BucketCall.Timed(new Request.GiveBack(2), 1_800_000_000_174_000_000L),
                                        new BucketCall.Timed(new Request.Charge(9), 1_800_000_000_175_000_000L)),
                                null)),
                new Golden(
                        "bucket-call-leasing",
                        new BucketCall(
                                NODE,
                                43,
                                TWO_BANDWIDTHS,
                                List.of(),
                                new LeaseReport(5, 4, 3, 500_000_000, 1_800_000_000_250_000_000L))),
                new Golden(
                        "bucket-call-strict",
                        new BucketCall(
                                NODE,
                                44,
                                new Rule(7, TWO_BANDWIDTHS.algorithm(), true),
                                List.of(new BucketCall.Timed(new Request.Take(3), 1_800_000_000_173_000_000L)),
                                null)),
                new Golden("bucket-call-as-is", callUnder(45, Kind.SLIDING_WINDOW, CarryOver.AS_IS)),
                new Golden("bucket-call-reset", callUnder(46, Kind.TOKEN_BUCKET, CarryOver.RESET)),
                new Golden(
                        "stored-bucket-leaky",
                        stored(QueueState.restore(perWindow(Kind.LEAKY_BUCKET), NOW, 7, 5, -2, 86_399_999))),
                new Golden(
                        "stored-bucket-sliding-window",
                        storedCounts(Kind.SLIDING_WINDOW, counts(9, 4), counts(0, 600))),
                new Golden(
                        "stored-bucket-sliding-log",
                        storedCounts(Kind.SLIDING_LOG, counts(NOW - 50_000_000_000L, 2, NOW, 3), counts())),
                new Golden("stored-bucket-fixed-window", storedCounts(Kind.FIXED_WINDOW, counts(4), counts(1_003))),
                new Golden(
                        "bucket-call-correcting",
                        new BucketCall(
                                NODE,
                                45,
                                TWO_BANDWIDTHS,
                                List.of(
                                        new BucketCall.Timed(
                                                new Request.Reserve(3, 2_000_000_000), 1_800_000_000_173_000_000L),
                                        new BucketCall.Timed(new Request.Charge(9, 50), 1_800_000_000_174_000_000L)),
                                null,
                                List.of(
                                        new Correction.Unanswered(44, 1, 7, false),
                                        new Correction.Owed(43, 12),
                                        new Correction.Unanswered(44, 0, 5, true),
                                        new Correction.Cancelled(43, 6, 1_800_000_000_172_000_000L)),
                                1_800_000_000_175_000_000L)),
                new Golden("bucket-backup", new BucketBackup(storedBucket(), 127)),
                new Golden(
                        "call-answer",
                        CallAnswer.decided(
                                OWNER,
                                1_800_000_000_123_000_000L,
                                Arrays.asList(Verdict.GRANTED, Verdict.DENIED, Verdict.NEVER, null),
                                IN_DEBT,
                                new LeaseAnswer(5, 3, true),
                                17,
                                true)),
                new Golden(
                        "call-answer-refused",
                        CallAnswer.refused(CallAnswer.Outcome.NOT_OWNER, OWNER, 1_800_000_000_123_000_000L)),
                new Golden(
                        "call-answer-failed",
                        CallAnswer.failed(
                                OWNER, 1_800_000_000_123_000_000L, new IllegalStateException("no \u00fcber-state"))),
                new Golden("stored-bucket", storedBucket()),
                new Golden("membership-question", new MembershipQuestion(NODE)),
                new Golden("goodbye", new Goodbye(NODE)),
                new Golden("lower-balance", new LowerBalance()),
                new Golden("roster", roster()),
                new Golden("roster-call", new RosterCall(NODE, true)),
                new Golden("roster-call-backup", new RosterCall(NODE, false).carrying(roster())),
                new Golden("stored-directives", new StoredDirectives(directives())),
                new Golden("directive-call", new DirectiveCall(OWNER, 3, offered())),
                new Golden(
                        "directive-call-backup", new DirectiveCall(OWNER, 3, offered()).at(1_800_000_000_123L, OWNER)),
                new Golden(
                        "directive-answer",
                        DirectiveAnswer.of(
                                directives(),
                                directives().since(null, 0),
                                List.of(Outcome.ACCEPTED, Outcome.CONFLICT, Outcome.FULL),
                                1_800_000_000_123_000_000L)),
                new Golden("directive-call-penalties", new DirectiveCall(OWNER, 3, penalties())),
                new Golden("directive-answer-not-owner", DirectiveAnswer.notOwner()),
                new Golden("higher-version", new HigherVersion()));
    }

    private static DirectiveTable directives() {
        return DirectiveTable.restore(
                OWNER, 5, 2, List.of(new DirectiveTable.Entry(offered().get(0), 5)));
    }

    private static List<Directive> offered() {
        return List.of(
                new Directive(
                        Directive.Id.ofDefinition("per-client"),
                        7,
                        new Directive.Definition(TWO_BANDWIDTHS, "LOCAL_SHARE", 50_000_000, true),
                        "ann",
                        1_800_000_000_000L),
                new Directive(
                        Directive.Id.ofOverride("per-client", "tenant \u00fc"),
                        2,
                        new Directive.KeyNumbers(TWO_BANDWIDTHS),
                        "bob",
                        1_800_000_000_001L),
                new Directive(
                        Directive.Id.ofBlock("*", "10.0.0.7"),
                        3,
                        new Directive.Block(1_800_000_060_000L, "too many logins"),
                        "\u00fcber-ann",
                        1_800_000_000_002L),
                new Directive(
                        Directive.Id.ofOverride("per-client", "gone"),
                        4,
                        new Directive.Withdrawn(),
                        "",
                        1_800_000_000_003L));
    }

    private static List<Directive> penalties() {
        return List.of(
                new Directive(
                        Directive.Id.ofDefinition("login"),
                        7,
                        new Directive.Definition(
                                TWO_BANDWIDTHS,
                                "DENY",
                                50_000_000,
                                false,
                                0,
                                false,
                                null,
                                Penalty.standard().withStrikes(5, Duration.ofMinutes(10))),
                        "ann",
                        1_800_000_000_000L),
                new Directive(
                        Directive.Id.ofBlock("login", "10.0.0.7"),
                        3,
                        new Directive.Block(1_800_000_060_000L, "too many strikes", 3, 1_800_086_460_000L),
                        "weir penalty",
                        1_800_000_000_002L));
    }

    private static Rule perWindow(Kind kind) {
        return new Rule(
                7,
                kind.with(List.of(
                        Bandwidth.perWindow(10, Duration.ofMinutes(1)).named("burst"),
                        Bandwidth.perWindow(1_000, Duration.ofDays(1)).named("daily"))));
    }

    private static BucketCall callUnder(long number, Kind kind, CarryOver mode) {
        return new BucketCall(
                NODE,
                number,
                new Rule(7, perWindow(kind).algorithm(), false, mode),
                List.of(new BucketCall.Timed(new Request.Take(3), 1_800_000_000_173_000_000L)),
                null);
    }

    private static StoredBucket storedCounts(Kind kind, long[]... counts) {
        return stored(WindowState.restore(perWindow(kind), NOW, counts));
    }

    private static long[] counts(long... counts) {
        return counts;
    }

    private static StoredBucket stored(State state) {
        return new StoredBucket(state, List.of(), 0);
    }

    private static Roster roster() {
        return new Roster(OWNER, Map.of(NODE, 1_800_000_000_123_000_000L));
    }

    private static StoredBucket storedBucket() {
        return new StoredBucket(
                IN_DEBT,
                List.of(
                        new CallRecord(NODE, 42, 1_800_000_005_173_000_000L, Arrays.asList(Verdict.GRANTED, null)),
                        new CallRecord(
                                OWNER,
                                41,
                                1_800_000_004_000_000_000L,
                                List.of(Verdict.DENIED),
                                new LeaseAnswer(5, 3, true),
                                8,
                                1_800_000_000_673_000_000L)),
                1_800_000_000_700_000_000L);
    }

    @ParameterizedTest
    @MethodSource("golden")
    void writesTheBytesThatAreCheckedIn(Golden golden) throws IOException {
        String written = HexFormat.of().formatHex(frame(golden.written()));
        assertThat(written).isEqualTo(checkedIn(golden.file()));
    }

    @ParameterizedTest
    @MethodSource("golden")
    void readsTheBytesThatAreCheckedIn(Golden golden) throws IOException {
        byte[] frame = HexFormat.of().parseHex(checkedIn(golden.file()));
        assertSame(readFrame(golden.written(), frame), golden.written());
    }

    @ParameterizedTest
    @MethodSource("golden")
    void readsWhatALaterVersionWritesWithOneFieldMore(Golden golden) throws IOException {
        byte[] frame = HexFormat.of().parseHex(checkedIn(golden.file()));
        byte[] later = Arrays.copyOf(frame, frame.length + 9);
        later[0] = Wire.VERSION + 1;

        assertSame(readFrame(golden.written(), later), golden.written());
    }

    @Test
    void aBalanceSurvivesAWriterOfTheNextVersionAndBack() throws IOException {
        byte[] later = Arrays.copyOf(frame(storedBucket()), 500);
        later[0] = Wire.VERSION + 1;
        StoredBucket here = (StoredBucket) readFrame(storedBucket(), later);
        StoredBucket there = (StoredBucket) readFrame(storedBucket(), frame(here));

        assertThat(there).isEqualTo(storedBucket());
    }

    @Test
    void saysThatItDoesNotKnowAnAlgorithm() throws IOException {
        byte[] frame = frame(storedBucket());
        int algorithm = 1 + Short.BYTES + Long.BYTES; // after the layout's version, the rule's length and its version
        frame[algorithm] = 99;

        assertThatThrownBy(() -> readFrame(storedBucket(), frame))
                .hasStackTraceContaining("does not know algorithm 99")
                .hasStackTraceContaining("upgrade");
    }

    @Test
    void saysThatItDoesNotKnowAWayToCarryOver() throws IOException {
        BucketCall call = callUnder(45, Kind.SLIDING_WINDOW, CarryOver.AS_IS);
        byte[] frame = frame(call);
        int options = frame.length - 1 - 2 * Long.BYTES - 1 - Short.BYTES - 1; // before the one request and no report
        frame[options] = 6;

        assertThatThrownBy(() -> readFrame(call, frame)).hasStackTraceContaining("does not know way to carry over 3");
    }

    @Test
    void saysThatItDoesNotKnowAKindOfRequest() throws IOException {
        BucketCall call = new BucketCall(
                NODE,
                42,
                TWO_BANDWIDTHS,
                List.of(new BucketCall.Timed(new Request.Take(3), 1_800_000_000_173_000_000L)),
                null);
        byte[] frame = frame(call);
        frame[frame.length - 1 - 2 * Long.BYTES - 1] = 7;

        assertThatThrownBy(() -> readFrame(call, frame)).hasStackTraceContaining("does not know requests of kind 7");
    }

    @Test
    void readsARuleOnce() {
        StoredBucket one = (StoredBucket) readFrame(storedBucket(), frame(storedBucket()));
        StoredBucket other = (StoredBucket) readFrame(storedBucket(), frame(storedBucket()));

        assertThat(one.state().rule()).isSameAs(other.state().rule());
    }

    @Test
    void refusesAFrameThatEndsEarly() throws IOException {
        byte[] frame = Arrays.copyOf(frame(storedBucket()), 20);

        assertThatThrownBy(() -> readFrame(storedBucket(), frame)).hasStackTraceContaining("ends early");
    }

    private byte[] frame(Wire object) {
        byte[] whole = serialization.toData(object).toByteArray();
        return Arrays.copyOfRange(whole, FRAME_OFFSET, whole.length);
    }

    private Object readFrame(Wire like, byte[] frame) {
        byte[] head = Arrays.copyOf(serialization.toData(like).toByteArray(), FRAME_OFFSET);
        ByteBuffer whole =
                ByteBuffer.allocate(FRAME_OFFSET + frame.length).put(head).put(frame);
        whole.putInt(FRAME_OFFSET - Integer.BYTES, frame.length);
        return serialization.toObject(new HeapData(whole.array()));
    }

    /** Objects without an equality of their own are the same if they are written the same. */
    private void assertSame(Object read, Wire expected) {
        assertThat(read).hasSameClassAs(expected);
        assertThat(frame((Wire) read)).isEqualTo(frame(expected));
    }

    private static String checkedIn(String file) throws IOException {
        try (InputStream in = WireTest.class.getResourceAsStream("/wire/v1/" + file + ".hex")) {
            return new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.US_ASCII)
                    .replaceAll("\\s", "");
        }
    }
}
