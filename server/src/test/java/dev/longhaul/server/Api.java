package dev.longhaul.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A client of the API under test: the JDK's own, over a real socket. Checks every response against openapi.json. */
public final class Api {
    static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final String base;
    private final List<String> headers;

    public Api(int port) {
        this("http://127.0.0.1:" + port, List.of());
    }

    private Api(String base, List<String> headers) {
        this.base = base;
        this.headers = headers;
    }

    /** A client with an additional header. */
    public Api with(String name, String value) {
        var more = new ArrayList<>(headers);
        more.add(name);
        more.add(value);
        return new Api(base, more);
    }

    public Api withKey(String key) {
        return with("Authorization", "Bearer " + key);
    }

    /** A response. */
    public record Reply(HttpResponse<String> response) {
        public int status() {
            return response.statusCode();
        }

        public String body() {
            return response.body();
        }

        public JsonNode json() {
            try {
                return JSON.readTree(response.body());
            } catch (IOException e) {
                throw new UncheckedIOException(response.body(), e);
            }
        }

        public String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }
    }

    public Reply get(String path) {
        return send("GET", path, null);
    }

    public Reply post(String path, @Nullable String body) {
        return send("POST", path, body);
    }

    Reply send(String method, String path, @Nullable String body) {
        var request = HttpRequest.newBuilder(URI.create(base + path));
        if (!headers.isEmpty()) {
            request.headers(headers.toArray(String[]::new));
        }
        if (body == null) {
            request.method(method, HttpRequest.BodyPublishers.noBody());
        } else {
            boolean typed = headers.stream().anyMatch("Content-Type"::equalsIgnoreCase);
            request.method(method, HttpRequest.BodyPublishers.ofString(body));
            if (!typed) {
                request.header("Content-Type", "application/json");
            }
        }
        try {
            var reply = new Reply(CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString()));
            OpenApi.check(method, path, reply.status(), reply.body());
            return reply;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
