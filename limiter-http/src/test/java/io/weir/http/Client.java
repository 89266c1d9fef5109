package io.weir.http;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;

/** Asks a container as browsers and programs do. */
final class Client {

    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(30))
            .build();

    private final Container.Running server;

    Client(Container.Running server) {
        this.server = server;
    }

    HttpResponse<String> get(String path, String... fields) throws IOException, InterruptedException {
        return send("GET", path, fields);
    }

    /** With fields as names and values in turn. */
    HttpResponse<String> send(String method, String path, String... fields) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.uri(path))
                .timeout(Duration.ofSeconds(30))
                .method(method, BodyPublishers.noBody());
        if (fields.length > 0) {
            request.headers(fields);
        }
        return HTTP.send(request.build(), BodyHandlers.ofString());
    }

    /** The field of a response; of several lines the first, and "absent" without any. */
    static String field(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("absent");
    }

    static List<PolicyItem> policies(HttpResponse<?> response, String name) {
        return PolicyItem.parse(field(response, name));
    }
}
