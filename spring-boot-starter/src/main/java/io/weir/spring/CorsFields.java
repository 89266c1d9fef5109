package io.weir.spring;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.springframework.http.HttpHeaders;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;

/**
 * Adds to a denial the fields without which a browser hides it from the script that asked: as the application's own CORS settings
 * have it, those of Spring MVC included. What lies behind the filter would have added them, and is not reached.
 */
final class CorsFields implements BiConsumer<HttpServletRequest, HttpServletResponse> {

    private final Supplier<List<CorsConfigurationSource>> sources;

    /** @param sources asked at a denial, and not before: handlers are not known when filters are made */
    CorsFields(Supplier<List<CorsConfigurationSource>> sources) {
        this.sources = sources;
    }

    @Override
    public void accept(HttpServletRequest request, HttpServletResponse response) {
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        if (origin == null || response.containsHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN)) {
            return;
        }
        CorsConfiguration found = sources.get().stream()
                .map(source -> source.getCorsConfiguration(request))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        String allowed = found == null ? null : found.checkOrigin(origin);
        if (found == null || allowed == null) {
            return;
        }
        response.addHeader(HttpHeaders.VARY, HttpHeaders.ORIGIN);
        response.setHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
        if (Boolean.TRUE.equals(found.getAllowCredentials())) {
            response.setHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_CREDENTIALS, "true");
        }
    }
}
