package io.weir.spring;

import io.weir.guard.NodeBusyException;
import io.weir.http.HttpAnswer;
import io.weir.http.HttpMapping;
import java.nio.charset.StandardCharsets;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers a {@link NodeBusyException} that escapes a controller as the filter answers a request that a guard refused, under Spring MVC and
 * WebFlux. Its place is that of {@link RateLimitedAdvice}.
 */
@ControllerAdvice
@Order(0)
final class NodeBusyAdvice {

    @ExceptionHandler
    ResponseEntity<byte[]> answer(NodeBusyException busy) {
        HttpAnswer.Denied answer = HttpMapping.busy(busy.retryAfter());
        HttpHeaders fields = new HttpHeaders();
        answer.fields().forEach(fields::set);
        return ResponseEntity.status(HttpStatusCode.valueOf(answer.status()))
                .headers(fields)
                .body(answer.body().getBytes(StandardCharsets.UTF_8));
    }
}
