package dev.longhaul.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.function.BiConsumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** A server's REST API. What goes wrong, here or there, is a {@link LonghaulException} with the code that the server gave. */
public final class Api {
    /** Numbers stay what they were sent as. */
    public static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(30);

    /** No redirects: the key goes to the server that was named and to nobody else. */
    private final HttpClient client;

    private final URI base;
    private final @Nullable String key;

    /** @param trust which servers to believe over TLS; null leaves that to Java */
    Api(URI base, @Nullable String key, @Nullable SSLContext trust) {
        this.base = base;
        this.key = key;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT)
                .followRedirects(HttpClient.Redirect.NEVER);
        this.client = (trust == null ? builder : builder.sslContext(trust)).build();
    }

    /** What came back from a call that went well. */
    public record Reply(String body, @Nullable String date) {
        public JsonNode json() {
            return parse(body, "the answer");
        }
    }

    public URI base() {
        return base;
    }

    public boolean hasKey() {
        return key != null;
    }

    public Reply get(String path) {
        return get(path, ANSWER);
    }

    /** A call that the server may take that long to answer, on purpose. */
    public Reply get(String path, Duration patience) {
        return send(request(path, patience).GET());
    }

    /** A call with a JSON body, or without one. */
    public Reply send(String method, String path, @Nullable String json) {
        HttpRequest.Builder request = request(path, ANSWER);
        if (json == null) {
            return send(request.method(method, HttpRequest.BodyPublishers.noBody()));
        }
        return send(request.header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(json)));
    }

    /** Requests up to that many pages of a list; returns the cursor of the page after them, or null if there is none. */
    @Nullable
    public String pages(String path, ObjectNode query, int most, BiConsumer<Reply, JsonNode> sink) {
        String next;
        int count = 0;
        do {
            Reply reply = get(path + Query.of(query));
            JsonNode page = reply.json();
            sink.accept(reply, page);
            next = page.path("nextCursor").textValue();
            query.put("cursor", next);
        } while (next != null && ++count < most);
        return next;
    }

    /** A stream of server-sent events, from after the one with that id. */
    public InputStream events(String path, long after) {
        HttpRequest.Builder request = request(path, ANSWER).setHeader("Accept", "text/event-stream");
        if (after > 0) {
            request.header("Last-Event-ID", Long.toString(after));
        }
        HttpResponse<InputStream> response = exchange(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        String type = response.headers().firstValue("Content-Type").orElse("");
        if (response.statusCode() == 200 && type.startsWith("text/event-stream")) {
            return response.body();
        }
        try (InputStream body = response.body()) {
            throw Problem.of(base, response.statusCode(), new String(body.readAllBytes(), UTF_8));
        } catch (IOException e) {
            throw away("stopped in the middle of an answer", e);
        }
    }

    /** What the server sent, as JSON. */
    public static JsonNode parse(String text, String what) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new LonghaulException(ErrorCode.INTERNAL, what + " is not JSON: is that a Longhaul server?", e);
        }
    }

    /** Text as one segment of a path. */
    public static String segment(String text) {
        return URLEncoder.encode(text, UTF_8).replace("+", "%20");
    }

    private HttpRequest.Builder request(String path, Duration patience) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path))
                .timeout(patience)
                .setHeader("Accept", "application/json, application/problem+json, text/plain");
        if (key != null) {
            request.header("Authorization", "Bearer " + key);
        }
        return request;
    }

    private Reply send(HttpRequest.Builder request) {
        HttpResponse<String> response = exchange(request.build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() / 100 != 2) {
            throw Problem.of(base, response.statusCode(), response.body());
        }
        return new Reply(response.body(), response.headers().firstValue("Date").orElse(null));
    }

    private <T> HttpResponse<T> exchange(HttpRequest request, HttpResponse.BodyHandler<T> body) {
        try {
            return client.send(request, body);
        } catch (ConnectException | HttpConnectTimeoutException e) {
            throw new LonghaulException(
                    ErrorCode.UNAVAILABLE, "no server at " + base + ": is it running? ./longhaul dev starts one", e);
        } catch (HttpTimeoutException e) {
            throw away("did not answer in time", e);
        } catch (SSLException e) {
            throw away("is not trusted (" + e.getMessage() + "); --ca-file names its certificate", e);
        } catch (IOException e) {
            throw away("broke off: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw away("was not waited for: interrupted", e);
        }
    }

    private LonghaulException away(String what, Exception cause) {
        return new LonghaulException(ErrorCode.UNAVAILABLE, "the server at " + base + " " + what, cause);
    }
}
