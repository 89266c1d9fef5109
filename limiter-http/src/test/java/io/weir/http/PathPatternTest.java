package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathPatternTest {

    @ParameterizedTest
    @CsvSource({
        "/, /, true",
        "/, /a, false",
        "/**, /, true",
        "/**, /a/b, true",
        "/api, /api, true",
        "/api, /API, false",
        "/api, /api/x, false",
        "/api/**, /api, true",
        "/api/**, /api/x/y, true",
        "/api/**, /apix, false",
        "/users/*, /users/7, true",
        "/users/*, /users, false",
        "/users/*, /users/7/orders, false",
        "/users/{id}/orders, /users/7/orders, true",
        "/users/{id}/orders, /users/7/carts, false",
    })
    void matches(String pattern, String path, boolean expected) {
        assertThat(PathPattern.of(pattern).matches(RequestPath.of(path, "").split()))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "/**, /api/**, true",
        "/**, /, true",
        "/api/**, /api, true",
        "/api/**, /api/*/x, true",
        "/api, /api/**, false",
        "/api/*, /api/**, false",
        "/api/*, /api/x, true",
        "/api/*, /api/{id}, true",
        "/api/x, /api/*, false",
        "/api/x, /api/x, true",
    })
    void coversWhatMatchesNothingElse(String pattern, String other, boolean expected) {
        assertThat(PathPattern.of(pattern).covers(PathPattern.of(other))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "api/**, must begin with /",
        "'', must begin with /",
        "/**/api, has ** before its end",
        "/a/../b, 'has a segment .., which no path keeps'",
        "/*.json, '* and {name} stand for whole segments only'",
        "/{a}-{b}, '* and {name} stand for whole segments only'",
        "/a%20b, is matched with decoded paths",
        "/a?b, is matched with decoded paths",
    })
    void refusesWhatIsNoPattern(String pattern, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PathPattern.of(pattern))
                .withMessageContaining(why)
                .withMessageEndingWith("but is \"" + pattern + "\"");
    }
}
