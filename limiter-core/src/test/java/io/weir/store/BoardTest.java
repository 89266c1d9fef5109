package io.weir.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BoardTest {

    @Test
    void aStoreThatNobodySharesHasABoardOfOneNode() {
        try (LocalStore store = LocalStore.create()) {
            Board board = store.board();
            assertThat(board.members())
                    .singleElement()
                    .satisfies(each -> assertThat(each.here()).isTrue());
            board.watch();
            board.post(new byte[Board.MAX_NOTE]);
            assertThat(board.isWatched().toCompletableFuture()).isCompletedWithValue(false);
            board.read(note -> {
                throw new AssertionError("there are no others, but " + note.from());
            });
        }
    }

    @Test
    void aNoteThatIsTooLongIsRefused() {
        assertThatThrownBy(() -> Board.ofOneNode().post(new byte[Board.MAX_NOTE + 1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("262145");
    }
}
