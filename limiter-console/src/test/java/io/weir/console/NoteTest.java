package io.weir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.console.NodeNote.KeyLine;
import io.weir.console.NodeNote.LimitLine;
import io.weir.store.Board;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.assertj.core.api.recursive.comparison.RecursiveComparisonConfiguration;
import org.junit.jupiter.api.Test;

class NoteTest {

    private static final RecursiveComparisonConfiguration BY_PARTS = new RecursiveComparisonConfiguration();

    private final long seed = Long.getLong("weir.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);

    @Test
    void whatIsWrittenIsRead() {
        for (int i = 0; i < 300; i++) {
            NodeNote note = Notes.random(random);
            assertThat(NoteReader.read(NoteWriter.bytes(note)))
                    .as("-Dweir.seed=%d, note %d", seed, i)
                    .usingRecursiveComparison(BY_PARTS)
                    .isEqualTo(note);
        }
    }

    @Test
    void whatALaterVersionAddsAtTheEndOfALimitAndOfTheWholeIsPassedOver() {
        NodeNote note = Notes.note("n1", 7, Notes.limit("one", 3, 1, Notes.key("ann", 4, 1, 0.5)));
        byte[] bytes = NoteWriter.bytes(note);
        int end = 3; // no more limits, none dropped, no keys dropped
        int start = NoteWriter.bytes(Notes.note("n1", 7)).length - end;
        assertThat((int) bytes[start]).as("length of the limit").isEqualTo(bytes.length - end - start - 1);

        ByteArrayOutputStream later = new ByteArrayOutputStream();
        later.write(NoteWriter.VERSION + 1);
        later.write(bytes, 1, start - 1);
        later.write(bytes[start] + 2);
        later.write(bytes, start + 1, bytes[start]);
        later.writeBytes(new byte[] {99, 98});
        later.write(bytes, bytes.length - end, end);
        later.writeBytes(new byte[] {97, 96, 95});
        assertThat(NoteReader.read(later.toByteArray()))
                .usingRecursiveComparison(BY_PARTS)
                .isEqualTo(NoteReader.read(bytes));
    }

    @Test
    void aNoteThatIsCutOffIsRefusedWhereverThatIs() {
        byte[] bytes = NoteWriter.bytes(Notes.note("n1", 7, Notes.limit("one", 3, 1, Notes.key("ann", 9, 2, 0.5))));
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> NoteReader.read(cut))
                    .as("%d of %d bytes", length, bytes.length)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void rubbishIsRefusedOrReadAndNeverAnythingElse() {
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = NoteWriter.bytes(Notes.random(random));
            for (int spoilt = random.nextInt(4); spoilt >= 0; spoilt--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(NoteReader.read(bytes).limits()).hasSizeLessThanOrEqualTo(NodeNote.MOST_LIMITS);
            } catch (IllegalArgumentException e) {
                assertThat(e.getMessage())
                        .as("-Dweir.seed=%d, note %d", seed, i)
                        .isNotEmpty();
            }
        }
    }

    @Test
    void aLengthThatIsNotThereTakesNoMemory() {
        // A text of 2^31 - 1 bytes, in a note of seven.
        byte[] bytes = {NoteWriter.VERSION, 0, -1, -1, -1, -1, 7};
        assertThatThrownBy(() -> NoteReader.read(bytes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2147483647 bytes");
    }

    @Test
    void keysGoFirstWhereANoteIsTooLarge() {
        LimitLine[] limits = IntStream.range(0, 100)
                .mapToObj(i -> Notes.limit("limit-" + i, 1, 0, keysOf(i)))
                .toArray(LimitLine[]::new);
        NodeNote whole = NoteReader.read(NoteWriter.bytes(Notes.note("n1", 1, limits), 200_000));
        assertThat(whole.keysDropped()).isFalse();

        NodeNote read = NoteReader.read(NoteWriter.bytes(Notes.note("n1", 1, limits), 20_000));
        assertThat(read.keysDropped()).isTrue();
        assertThat(read.dropped()).isZero();
        assertThat(read.limits())
                .hasSize(100)
                .allSatisfy(each -> assertThat(each.keys()).isEmpty());
    }

    @Test
    void thenTheQuietestLimitsGo() {
        LimitLine[] limits = IntStream.range(0, 100)
                .mapToObj(i -> Notes.limit("limit-" + i, 100 - i, 0, keysOf(i)))
                .toArray(LimitLine[]::new);
        byte[] bytes = NoteWriter.bytes(Notes.note("n1", 1, limits), 1_000);
        NodeNote read = NoteReader.read(bytes);
        assertThat(bytes).hasSizeLessThanOrEqualTo(1_000);
        assertThat(read.keysDropped()).isTrue();
        assertThat(read.dropped()).isEqualTo(100 - read.limits().size()).isPositive();
        assertThat(read.limits()).isNotEmpty();
        assertThat(read.limits().stream().map(LimitLine::name))
                .isEqualTo(IntStream.range(0, read.limits().size())
                        .mapToObj(i -> "limit-" + i)
                        .toList());
    }

    @Test
    void aThousandLimitsWithHostileKeysFitTheBoard() {
        List<LimitLine> limits = IntStream.range(0, NodeNote.MOST_LIMITS)
                .mapToObj(i -> Notes.limit("limit-" + "x".repeat(50) + i, 1_000_000, 1_000_000, keysOf(i)))
                .toList();
        byte[] bytes = NoteWriter.bytes(Notes.note("n1", 1, limits.toArray(LimitLine[]::new)));
        assertThat(bytes).hasSizeLessThanOrEqualTo(Board.MAX_NOTE);
        assertThat(NoteReader.read(bytes).limits()).hasSize(NodeNote.MOST_LIMITS);
        assertThat(NoteReader.read(bytes).keysDropped()).isTrue();
    }

    private static KeyLine[] keysOf(int limit) {
        return IntStream.range(0, NodeNote.MOST_KEYS)
                .mapToObj(i -> Notes.key(Shown.text(Notes.HOSTILE + limit + "/" + i + "k".repeat(10_000)), 5, 1, 0.5))
                .toArray(KeyLine[]::new);
    }
}
