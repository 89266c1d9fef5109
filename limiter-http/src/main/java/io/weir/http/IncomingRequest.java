package io.weir.http;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a limit needs to know of an HTTP request, whichever server it came in by. {@link RateLimitFilter} makes one of a
 * servlet request; for another server, write one: seven methods of a line each.
 *
 * <p>Everything is as the client sent it, and so nothing of it is to be trusted.
 */
public interface IncomingRequest {

    /** The method, such as {@code GET}. */
    String method();

    /** The path from the root of the server, still encoded, without the query; empty if the request has none. */
    String path();

    /** How {@link #path()} begins where the application is not at the root, such as {@code /shop}; else empty. */
    default String contextPath() {
        return "";
    }

    /** The lines of a header field, in the order in which they came; empty if there is none. */
    List<String> field(String name);

    /**
     * The address at the other end of the connection, as text: of a client, or of the last proxy. Empty if it has none, as a
     * socket of this machine.
     */
    String peer();

    /** Who is asking, if the request was authenticated before it got here. */
    Optional<String> principal();

    /** What {@link #keep} was given under this name, for the same request and whatever becomes of it; else null. */
    @Nullable
    Object kept(String name);

    /** Keeps something with the request, through each dispatch that the server makes of it. */
    void keep(String name, Object value);
}
