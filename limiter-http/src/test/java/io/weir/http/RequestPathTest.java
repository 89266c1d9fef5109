package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestPathTest {

    private static String read(RequestPath.Reading reading) {
        return "/" + String.join("/", reading.segments());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/api", "/api/users/7", "/a.b/c..d/~x", "/favicon.ico"})
    void readsAPlainPathInOneWayOnly(String path) {
        RequestPath read = RequestPath.of(path, "");

        assertThat(read.plain()).isTrue();
        assertThat(read.isAmbiguous()).isFalse();
        assertThat(read(read.split())).isEqualTo(path);
    }

    @ParameterizedTest
    @CsvSource({
        "/%61pi/x, /api/x",
        "//api///x, /api/x",
        "/api/x/, /api/x",
        "/api;v=1/x;y, /api/x",
        "/api%20x/%C3%A9, /api x/é",
        "/100%, /100%",
        "/%zz/%4, /%zz/%4",
        "/%2561, /%61",
        "api, /api",
        "*, /*",
    })
    void readsWhatIsWrittenInAnotherWayAsWhatItIs(String path, String same) {
        RequestPath read = RequestPath.of(path, "");

        assertThat(read.plain()).isFalse();
        assertThat(read.isAmbiguous()).isFalse();
        assertThat(read(read.split())).isEqualTo(same);
    }

    @ParameterizedTest
    @CsvSource({
        "/a/../b, /a/../b, /b",
        "/a/%2e%2E/b, /a/../b, /b",
        "/a/./b, /a/./b, /a/b",
        "/a/..;x/b, /a/../b, /b",
        "/a%2Fb, /a/b, /a/b",
        "/a%5Cb, /a\\b, /a/b",
        "/a\\b, /a\\b, /a/b",
        "/../../b, /../../b, /b",
        "/files/..%2f..%2fadmin, /files/../../admin, /admin",
    })
    void readsWhatCanBeReadInTwoWaysInBoth(String path, String split, String resolved) {
        RequestPath read = RequestPath.of(path, "");

        assertThat(read.plain()).isFalse();
        assertThat(read.isAmbiguous()).isTrue();
        assertThat(read(read.split())).isEqualTo(split);
        assertThat(read(read.resolved())).isEqualTo(resolved);
    }

    @Test
    void anEncodedSlashIsPartOfItsSegmentOrParts() {
        RequestPath read = RequestPath.of("/a%2Fb", "");

        assertThat(read.split().segments()).isEqualTo(List.of("a/b"));
        assertThat(read.resolved().segments()).isEqualTo(List.of("a", "b"));
    }

    @ParameterizedTest
    @CsvSource({
        "/shop/api, /shop, /api",
        "/shop, /shop, /",
        "/%73hop/api, /shop, /api",
        "//shop/api, /shop, /api",
        "/shopping/api, /shop, /shopping/api",
        "/my%20shop/api, /my%20shop, /api",
    })
    void beginsWhereTheApplicationDoes(String path, String contextPath, String within) {
        assertThat(read(RequestPath.of(path, contextPath).split())).isEqualTo(within);
    }
}
