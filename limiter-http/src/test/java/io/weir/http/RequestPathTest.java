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
    @ValueSource(
            strings = {"/", "/api", "/api/users/7", "/a.b/c..d/~x", "/favicon.ico", "/.well-known/x", "/.a/..b/..."})
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
        "'', /",
        "/api?x=/health, /api",
        "http://shop.example/api/x, /api/x",
        "http://shop.example, /",
        "http://shop.example/api?x, /api",
        "/api/http://x, /api/http:/x",
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
        "/a/., /a/., /a",
        "/a/b/.., /a/b/.., /a",
        "/a/..;x/b, /a/../b, /b",
        "/a%2Fb, /a/b, /a/b",
        "/a%5Cb, /a\\b, /a/b",
        "/a\\b, /a\\b, /a/b",
        "/../../b, /../../b, /b",
        "/%u0061pi/%u002e%u002e, /%u0061pi/%u002e%u002e, /",
        "/files/..%2f..%2fadmin, /files/../../admin, /admin",
    })
    void readsWhatCanBeReadInTwoWaysInBoth(String path, String split, String resolved) {
        RequestPath read = RequestPath.of(path, "");

        assertThat(read.plain()).isFalse();
        assertThat(read.isAmbiguous()).isTrue();
        assertThat(read(read.split())).isEqualTo(split);
        assertThat(read(read.resolved())).isEqualTo(resolved);
    }

    /** There are readers that go up from the empty segment, and from a segment with an encoded slash as one. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api//../dear",
                "/api///x/../../dear",
                "/api/;/../dear",
                "/api//%2e%2e/dear",
                "/api//..;x/dear",
                "/api/x%2fy/../dear",
                "/api/x\\y/../dear",
                "/api/%2f../dear",
                "/api/%2e%2e/../dear",
                "/api/%u002e%u002e/../dear",
                "/api/x\\..\\dear",
                "/api/..;",
                "http://shop.example//../dear"
            })
    void isObscureWhereItGoesUpAndIsNotPlainOtherwise(String path) {
        assertThat(RequestPath.of(path, "").obscure()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/../dear",
                "/../..",
                "/a//b;x/%2e/c%2fd",
                "/a..b//c",
                "/a/...//",
                "http://shop.example/a/../b",
                "/a/../b?x=%2e//",
                "/"
            })
    void isNotObscureWhereTwoReadingsAreAllThereAre(String path) {
        assertThat(RequestPath.of(path, "").obscure()).isFalse();
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
        "/shop;x/api, /shop, /api",
        "/shop;x/api, /shop;x, /api",
        "/shop/api, /shop;x, /api",
    })
    void beginsWhereTheApplicationDoes(String path, String contextPath, String within) {
        assertThat(read(RequestPath.of(path, contextPath).split())).isEqualTo(within);
    }

    /** As containers write a context path where a client took a detour to it, and where they do not. */
    @ParameterizedTest
    @CsvSource({"/x/../shop/dear, /x/../shop, /dear, /dear", "/x/../shop/dear, /shop, /x/../shop/dear, /dear"})
    void findsTheApplicationInBothReadings(String path, String contextPath, String split, String resolved) {
        RequestPath read = RequestPath.of(path, contextPath);

        assertThat(read(read.split())).isEqualTo(split);
        assertThat(read(read.resolved())).isEqualTo(resolved);
    }
}
