package io.weir.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of problem (RFC 9457) that a denial is: with types and titles of draft-ietf-httpapi-ratelimit-headers or, where the
 * status says it all, without a type of their own.
 */
enum Problem {
    QUOTA_EXCEEDED(
            Problem.IANA + "quota-exceeded", "Request cannot be satisfied as assigned quota has been exceeded", null),

    TEMPORARY_REDUCED_CAPACITY(
            Problem.IANA + "temporary-reduced-capacity",
            "Request cannot be satisfied due to temporary server capacity constraints",
            null),

    ABNORMAL_USAGE(
            Problem.IANA + "abnormal-usage-detected",
            "Request not satisfied due to detection of abnormal request pattern",
            null),

    KEY_MISSING("about:blank", "Forbidden", "The request does not say who is asking."),

    QUOTA_NEVER(
            Problem.IANA + "quota-exceeded",
            "Request cannot be satisfied as assigned quota has been exceeded",
            "The request costs more than a whole period of its quota has."),

    IDEMPOTENCY_KEY_WRONG(
            "about:blank",
            "Bad Request",
            "Idempotency-Key must be there once, with 1 to 255 printable ASCII characters, best in quotes."),

    IDEMPOTENCY_KEY_REUSED(
            "about:blank",
            "Unprocessable Content",
            "The Idempotency-Key was used before, for a request that cost something else."),

    PATH_AMBIGUOUS("about:blank", "Bad Request", "The path of the request can be read in more than one way.");

    private static final String IANA = "https://iana.org/assignments/http-problem-types#";

    static final String CONTENT_TYPE = "application/problem+json";

    private static final JsonFactory JSON = new JsonFactory();

    private final String type;
    private final String title;

    private final @Nullable String detail;

    Problem(String type, String title, @Nullable String detail) {
        this.type = type;
        this.title = title;
        this.detail = detail;
    }

    /**
     * The body that tells of this problem.
     *
     * @param status as in the status line
     * @param violatedPolicies names of policies; the member is left out if there are none
     * @param retryAfter seconds, or null to leave the member out
     */
    String body(int status, List<String> violatedPolicies, @Nullable Long retryAfter) {
        return body(status, violatedPolicies, retryAfter, null);
    }

    /**
     * The same with the member {@code resets_at}.
     *
     * @param resetsAt null to leave the member out
     */
    String body(int status, List<String> violatedPolicies, @Nullable Long retryAfter, @Nullable Instant resetsAt) {
        StringWriter body = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(body)) {
            json.writeStartObject();
            json.writeStringField("type", type);
            json.writeStringField("title", title);
            json.writeNumberField("status", status);
            if (detail != null) {
                json.writeStringField("detail", detail);
            }
            if (!violatedPolicies.isEmpty()) {
                json.writeArrayFieldStart("violated-policies");
                for (String policy : violatedPolicies) {
                    json.writeString(policy);
                }
                json.writeEndArray();
            }
            if (retryAfter != null) {
                json.writeNumberField("retry_after", retryAfter);
            }
            if (resetsAt != null) {
                json.writeStringField("resets_at", resetsAt.toString());
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new AssertionError("writing to memory does no I/O", e);
        }
        return body.toString();
    }
}
