package io.weir.http;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
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

    KEY_MISSING("about:blank", "Forbidden", "The request does not say who is asking."),

    PATH_AMBIGUOUS("about:blank", "Bad Request", "The path of the request can be read in more than one way.");

    private static final String IANA = "https://iana.org/assignments/http-problem-types#";

    static final String CONTENT_TYPE = "application/problem+json";

    private static final JsonStringEncoder JSON = JsonStringEncoder.getInstance();

    /** The members that are the same in each body of this problem, up to the value of the status. */
    private final String head;

    /** The one behind the status. */
    private final String detail;

    Problem(String type, String title, @Nullable String detail) {
        this.head = "{\"type\":\"" + type + "\",\"title\":\"" + title + "\",\"status\":";
        this.detail = detail == null ? "" : ",\"detail\":\"" + detail + '"';
    }

    /**
     * The body that tells of this problem.
     *
     * @param status as in the status line
     * @param violatedPolicy name of a policy, or null to leave the member out
     * @param retryAfter seconds, or null to leave the member out
     */
    String body(int status, @Nullable String violatedPolicy, @Nullable Long retryAfter) {
        StringBuilder body = new StringBuilder(256).append(head).append(status).append(detail);
        if (violatedPolicy != null) {
            body.append(",\"violated-policies\":[\"");
            JSON.quoteAsString(violatedPolicy, body);
            body.append("\"]");
        }
        if (retryAfter != null) {
            body.append(",\"retry_after\":").append(retryAfter.longValue());
        }
        return body.append('}').toString();
    }
}
