package io.weir.console;

import java.util.Map;

/**
 * What a server is to answer a request with. Immutable, as long as nobody writes to its body.
 *
 * @param status the status code
 * @param fields header fields, without {@code Content-Length}
 * @param body what follows them; an answer to {@code HEAD} has the length of it and leaves it out. Not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // it is written to a socket and compared by nobody
public record ConsoleAnswer(int status, Map<String, String> fields, byte[] body) {

    /** Copies the fields. */
    public ConsoleAnswer {
        fields = Map.copyOf(fields);
    }
}
