package dev.longhaul.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
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
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.function.BiConsumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * A client of a server's REST API. Throws a {@link LonghaulException} for every failure, with the server's error code
 * if it sent one.
 */
public final class Api {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(30);

    /** Does not follow redirects, so that the key is sent only to the given server. */
    private final HttpClient client;

    private final URI base;
    private final @Nullable String key;

    /** @param trust certificates to trust; null uses Java's default certificates */
    Api(URI base, @Nullable String key, @Nullable SSLContext trust) {
        this.base = base;
        this.key = key;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT_TIMEOUT)
                .followRedirects(HttpClient.Redirect.NEVER);
        if (!"https".equals(base.getScheme())) {
            builder.sslContext(new NoTls());
        } else if (trust != null) {
            builder.sslContext(trust);
        }
        this.client = builder.build();
    }

    /** A successful response. */
    public record Reply(String body, @Nullable String date) {
        public JsonNode json() {
            return parse(body, "the response");
        }
    }

    public URI base() {
        return base;
    }

    public boolean hasKey() {
        return key != null;
    }

    public Reply get(String path) {
        return get(path, RESPONSE_TIMEOUT);
    }

    /** Sends a GET request with a timeout, for long polls. */
    public Reply get(String path, Duration timeout) {
        return send(request(path, timeout).GET());
    }

    /** Sends a request; null as {@code json} sends it without a body. */
    public Reply send(String method, String path, @Nullable String json) {
        HttpRequest.Builder request = request(path, RESPONSE_TIMEOUT);
        if (json == null) {
            return send(request.method(method, HttpRequest.BodyPublishers.noBody()));
        }
        return send(request.header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(json)));
    }

    /** Requests up to that many pages of a list. Returns the cursor of the page after them; null if there is none. */
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

    /** Opens the stream of server-sent events that come after the given id. */
    public InputStream events(String path, long after) {
        HttpRequest.Builder request = request(path, RESPONSE_TIMEOUT).setHeader("Accept", "text/event-stream");
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
            throw unavailable("closed the connection during a response", e);
        }
    }

    /** Parses a response as JSON. */
    public static JsonNode parse(String text, String what) {
        try {
            return Json.parse(text);
        } catch (IOException e) {
            throw new LonghaulException(ErrorCode.INTERNAL, what + " is not JSON; check --url", e);
        }
    }

    /** Encodes text as one segment of a path. */
    public static String segment(String text) {
        return URLEncoder.encode(text, UTF_8).replace("+", "%20");
    }

    private HttpRequest.Builder request(String path, Duration timeout) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path))
                .timeout(timeout)
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

    private String noServer(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnresolvedAddressException) {
                return ": unknown host " + base.getHost() + "; correct --url or LONGHAUL_URL";
            }
        }
        return "; start one with ./longhaul dev, or set --url";
    }

    private <T> HttpResponse<T> exchange(HttpRequest request, HttpResponse.BodyHandler<T> body) {
        try {
            return client.send(request, body);
        } catch (ConnectException | HttpConnectTimeoutException e) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "no server at " + base + noServer(e), e);
        } catch (HttpTimeoutException e) {
            throw unavailable("did not respond in time (timeout)", e);
        } catch (SSLException e) {
            throw unavailable("is not trusted (" + e.getMessage() + "); set its certificate with --ca-file", e);
        } catch (IOException e) {
            throw unavailable("closed the connection: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("did not respond before this process was interrupted", e);
        }
    }

    private LonghaulException unavailable(String what, Exception cause) {
        return new LonghaulException(ErrorCode.UNAVAILABLE, "the server at " + base + " " + what, cause);
    }
}
