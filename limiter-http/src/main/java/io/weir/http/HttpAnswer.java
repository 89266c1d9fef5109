package io.weir.http;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** What an HTTP server is to do about a decision. */
public sealed interface HttpAnswer {

    /**
     * The header fields to set on the response, by name: each name once, in the order in which to send them.
     * Unmodifiable.
     */
    Map<String, String> fields();

    /**
     * Go ahead: the handler chooses status and body.
     *
     * @param fields to add to what the handler sends
     */
    record Granted(Map<String, String> fields) implements HttpAnswer {

        /** Copies the fields. */
        public Granted {
            fields = inOrder(fields);
        }
    }

    /**
     * Answer instead of the handler.
     *
     * @param status 400 to 599
     * @param fields all that is to be sent, {@code Content-Type} included
     * @param body a problem (RFC 9457) in JSON; to be sent as UTF-8
     */
    record Denied(int status, Map<String, String> fields, String body) implements HttpAnswer {

        /**
         * Copies the fields.
         *
         * @throws IllegalArgumentException if the status is not that of an error
         */
        public Denied {
            if (status < 400 || status > 599) {
                throw new IllegalArgumentException("status of a denial must be 400 to 599 but is " + status);
            }
            fields = inOrder(fields);
        }
    }

    private static Map<String, String> inOrder(Map<String, String> fields) {
        if (fields instanceof Fields) {
            return fields; // nobody else has them
        }
        return Collections.unmodifiableMap(new LinkedHashMap<>(fields)); // Map.copyOf would lose the order
    }
}
