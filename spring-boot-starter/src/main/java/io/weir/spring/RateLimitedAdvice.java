package io.weir.spring;

import io.weir.http.HttpAnswer;
import io.weir.http.HttpMapping;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers a {@link RateLimitedException} that escapes a controller as the filter answers a denial, under Spring MVC and WebFlux.
 * It comes before advice without an order, which may well catch everything; advice of the application's own for this exception
 * goes first if its order is negative, and so does an exception handler in the controller.
 */
@ControllerAdvice
@Order(0)
final class RateLimitedAdvice {

    private final HttpMapping mapping;

    RateLimitedAdvice(HttpMapping mapping) {
        this.mapping = mapping;
    }

    @ExceptionHandler
    ResponseEntity<byte[]> answer(RateLimitedException denied) {
        HttpAnswer.Denied answer = denial(mapping, denied);
        HttpHeaders fields = new HttpHeaders();
        answer.fields().forEach(fields::set);
        return ResponseEntity.status(HttpStatusCode.valueOf(answer.status()))
                .headers(fields)
                .body(answer.body().getBytes(StandardCharsets.UTF_8));
    }

    static HttpAnswer.Denied denial(HttpMapping mapping, RateLimitedException denied) {
        if (mapping.answer(denied.decision(), Instant.now()) instanceof HttpAnswer.Denied answer) {
            return answer;
        }
        throw new IllegalArgumentException("a RateLimitedException is of a denial, but has " + denied.decision());
    }
}
