package dev.longhaul.spring.web;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** A user of the application: keeps cookies, and sends the CSRF token that the session names. */
public final class Client {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .cookieHandler(new CookieManager())
            .build();
    private final String base;
    private final @Nullable String authorization;
    private @Nullable JsonNode csrf;

    /** @param user a name that is also the password; null sends none */
    Client(int port, @Nullable String user) {
        this.base = "http://127.0.0.1:" + port + "/app/longhaul";
        this.authorization = user == null
                ? null
                : "Basic "
                        + Base64.getEncoder().encodeToString((user + ":" + user).getBytes(StandardCharsets.ISO_8859_1));
    }

    /** A response with its body as text. */
    public record Reply(int status, HttpResponse<String> response) {
        JsonNode json() {
            try {
                return JSON.readTree(response.body());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }
    }

    Reply get(String path, String... headers) {
        return send(request(path, headers).GET());
    }

    Reply post(String path, String body, String... headers) {
        HttpRequest.Builder request = request(path, headers)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        JsonNode token = csrf;
        if (token != null) {
            request.header(token.get("header").asText(), token.get("token").asText());
        }
        return send(request);
    }

    /** Loads the session, as the dashboard does. */
    JsonNode session() {
        JsonNode session = get("/v1/session").json();
        csrf = session.get("csrf");
        return session;
    }

    /** Opens a stream. */
    HttpResponse<InputStream> stream(String path) {
        try {
            return http.send(
                    request(path, "Accept", "text/event-stream").build(), HttpResponse.BodyHandlers.ofInputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private HttpRequest.Builder request(String path, String... headers) {
        var request = HttpRequest.newBuilder(URI.create(base + path));
        if (authorization != null) {
            request.header("Authorization", authorization);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return request;
    }

    private Reply send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Reply(response.statusCode(), response);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
