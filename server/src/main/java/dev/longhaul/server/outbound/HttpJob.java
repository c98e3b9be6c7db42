package dev.longhaul.server.outbound;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.client.ClientFactory;
import com.linecorp.armeria.client.UnprocessedRequestException;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.client.proxy.ProxyConfig;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.ClosedSessionException;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.RequestHeadersBuilder;
import com.linecorp.armeria.common.TimeoutException;
import com.linecorp.armeria.common.stream.ClosedStreamException;
import com.linecorp.armeria.common.util.Exceptions;
import dev.longhaul.GiveUpException;
import dev.longhaul.Isolation;
import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.json.Json;
import dev.longhaul.server.outbound.Destination.RefusedException;
import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NoRouteToHostException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The definition {@code http}: a job sends one request, and its result is the response. It reaches only addresses that
 * {@link AddressRules} allow, and follows no redirects.
 */
public final class HttpJob {
    public static final String KEY = "http";

    /**
     * Maximum characters of a response body. A result may have 256 KiB, and a character may take several bytes there.
     */
    private static final int MOST_BODY = 100_000;

    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final int USUAL_TIMEOUT_SECONDS = 30;
    /** Response headers that are copied into the result. */
    private static final List<String> SHOWN = List.of(
            "content-type",
            "content-length",
            "date",
            "etag",
            "last-modified",
            "location",
            "retry-after",
            "x-request-id");
    /** Headers that the HTTP client sets itself. A job that could set them could disguise the destination. */
    private static final Set<String> REFUSED_HEADERS =
            Set.of("host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect");

    /**
     * The schema of the params. Header values are secret ({@code writeOnly}), because they often contain credentials.
     */
    private static final String PARAMS = """
            {
              "type": "object",
              "properties": {
                "method": {"enum": ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]},
                "url": {"type": "string", "minLength": 1, "maxLength": 2000},
                "headers": {
                  "type": "object", "maxProperties": 50,
                  "additionalProperties": {"type": "string", "maxLength": 8000, "writeOnly": true}
                },
                "body": {},
                "expectedStatus": {
                  "type": "array", "items": {"type": "integer", "minimum": 100, "maximum": 599}, "minItems": 1, "maxItems": 50
                },
                "timeoutSeconds": {"type": "integer", "minimum": 1, "maximum": 3600}
              },
              "required": ["url"],
              "additionalProperties": false
            }
            """;

    private final AddressRules rules;
    private final Destination.Resolver resolver;
    private final ClientFactory connections;

    private HttpJob(AddressRules rules, Destination.Resolver resolver) {
        this.rules = rules;
        this.resolver = resolver;
        this.connections = ClientFactory.builder()
                .connectTimeout(CONNECT)
                .idleTimeout(Duration.ofSeconds(5))
                // Ignores the proxy settings of the environment, because a proxy would resolve the checked name again.
                .proxyConfig(ProxyConfig.direct())
                .build();
    }

    /**
     * Returns the definition {@code http}.
     *
     * @param networks CIDR blocks that are allowed besides public addresses, such as 10.1.0.0/16
     */
    public static JobDefinition<JsonNode, JsonNode> definition(List<String> networks) {
        return definition(networks, InetAddress::getAllByName);
    }

    static JobDefinition<JsonNode, JsonNode> definition(List<String> networks, Destination.Resolver resolver) {
        var job = new HttpJob(new AddressRules(networks, "http-networks"), resolver);
        return JobDefinition.of(KEY, JsonNode.class, JsonNode.class)
                .paramsSchema(PARAMS)
                .resultSchema("true")
                .isolation(Isolation.thread())
                .handler(job::run);
    }

    private JsonNode run(JsonNode params, JobContext context) throws Exception {
        HttpRequest request;
        Destination to;
        try {
            to = Destination.of(url(params), resolver, rules, context.attempt());
            request = request(params, to);
        } catch (RefusedException e) {
            if (e.temporary()) {
                throw new IOException(e.getMessage(), e);
            }
            throw new GiveUpException(String.valueOf(e.getMessage()), e);
        } catch (IllegalArgumentException e) {
            throw new GiveUpException(String.valueOf(e.getMessage()), e);
        }
        Duration timeout = Duration.ofSeconds(params.path("timeoutSeconds").asInt(USUAL_TIMEOUT_SECONDS));
        CompletableFuture<AggregatedHttpResponse> response = WebClient.builder(to.protocol(), to.endpoint())
                .factory(connections)
                .responseTimeout(timeout)
                .writeTimeout(timeout)
                .maxResponseLength(MOST_BODY)
                .build()
                .execute(request)
                .aggregate();
        context.onCancel(() -> response.cancel(true));
        return result(params, await(response, to, timeout));
    }

    private static URI url(JsonNode params) {
        String text = params.get("url").textValue();
        try {
            URI url = new URI(text);
            String authority = url.getRawAuthority();
            if (authority != null && authority.contains("@")) {
                // Omits the URL: the message is visible to callers who may not see params.
                throw new IllegalArgumentException("url: has credentials before the host (expected: no user:password@;"
                        + " send them in headers.authorization, whose value is secret)");
            }
            return url;
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("url: (expected: https://host/path)", e);
        }
    }

    private static HttpRequest request(JsonNode params, Destination to) {
        HttpMethod method = HttpMethod.valueOf(params.path("method").asText("GET"));
        RequestHeadersBuilder headers =
                RequestHeaders.builder(method, to.path()).set(HttpHeaderNames.USER_AGENT, "Longhaul");
        JsonNode body = params.get("body");
        HttpData data = HttpData.empty();
        if (body != null && !body.isNull()) {
            headers.contentType(body.isTextual() ? MediaType.PLAIN_TEXT_UTF_8 : MediaType.JSON_UTF_8);
            data = HttpData.ofUtf8(body.isTextual() ? body.textValue() : body.toString());
        }
        for (var header : params.path("headers").properties()) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            String value = header.getValue().textValue();
            if (REFUSED_HEADERS.contains(name) || !name.matches("[a-z0-9!#$%&'*+.^_`|~-]+")) {
                throw new IllegalArgumentException("headers: " + name + " (expected: a header that a job may set)");
            }
            if (value.chars().anyMatch(c -> c < ' ' && c != '\t')) {
                throw new IllegalArgumentException("headers." + name + ": *** (expected: no control characters)");
            }
            headers.set(name, value);
        }
        return HttpRequest.of(headers.build(), data);
    }

    private static AggregatedHttpResponse await(
            CompletableFuture<AggregatedHttpResponse> response, Destination to, Duration timeout)
            throws IOException, InterruptedException {
        try {
            return response.get();
        } catch (InterruptedException e) {
            response.cancel(true);
            throw e;
        } catch (ExecutionException | CompletionException e) {
            Throwable cause = Exceptions.peel(e);
            if (cause instanceof ContentTooLargeException) {
                throw new GiveUpException("response: more than " + MOST_BODY + " bytes (expected: fewer)", null);
            }
            // Omits the cause: the network library's stack frames would only fill the log.
            throw new IOException(problem(cause, to.endpoint().authority(), timeout));
        }
    }

    private static String problem(Throwable failure, String to, Duration timeout) {
        Throwable inner = failure instanceof UnprocessedRequestException ? failure.getCause() : null;
        Throwable cause = inner == null ? failure : inner;
        String message = String.valueOf(cause.getMessage());
        if (cause instanceof TimeoutException) {
            return "no response within " + timeout.toSeconds() + " s";
        }
        if (cause instanceof ConnectTimeoutException) {
            return "no connection to " + to + " within " + CONNECT.toSeconds() + " s";
        }
        if (cause instanceof ConnectException
                && message.toLowerCase(Locale.ROOT).contains("refused")) {
            return "connection refused by " + to;
        }
        if (cause instanceof ConnectException || cause instanceof NoRouteToHostException) {
            return "cannot connect to " + to + ": " + message;
        }
        if (cause instanceof SSLException) {
            return "TLS handshake with " + to + " failed: " + message;
        }
        if (cause instanceof ClosedSessionException || cause instanceof ClosedStreamException) {
            return to + " closed the connection before it responded";
        }
        return "request to " + to + " failed: " + cause.getClass().getSimpleName() + ": " + message;
    }

    private static JsonNode result(JsonNode params, AggregatedHttpResponse response) throws IOException {
        int status = response.status().code();
        if (!expected(params, status)) {
            String message = "status: " + status + " (expected: " + expectation(params) + ")";
            if (retryable(status)) {
                throw new IOException(message);
            }
            throw new GiveUpException(message, null);
        }
        ObjectNode result = JsonNodeFactory.instance.objectNode().put("status", status);
        ObjectNode headers = result.putObject("headers");
        for (String name : SHOWN) {
            String value = response.headers().get(name);
            if (value != null) {
                headers.put(name, value);
            }
        }
        String text = response.content(StandardCharsets.UTF_8);
        JsonNode json = json(response.contentType(), text);
        if (json != null) {
            result.set("json", json);
        } else {
            result.put("body", text);
        }
        return result;
    }

    /** Returns whether the status may be temporary: server errors, too many requests, and timeouts. */
    private static boolean retryable(int status) {
        return status >= 500 || status == 429 || status == 408 || status == 425;
    }

    private static boolean expected(JsonNode params, int status) {
        JsonNode given = params.get("expectedStatus");
        if (given == null) {
            return status >= 200 && status < 300;
        }
        for (JsonNode one : given) {
            if (one.intValue() == status) {
                return true;
            }
        }
        return false;
    }

    private static String expectation(JsonNode params) {
        JsonNode given = params.get("expectedStatus");
        if (given == null) {
            return "2xx";
        }
        var all = new ArrayList<String>();
        given.forEach(one -> all.add(one.asText()));
        return String.join(" or ", all);
    }

    /** Returns the body as JSON if it is declared as JSON and valid; null otherwise. */
    private static @Nullable JsonNode json(@Nullable MediaType type, String text) {
        if (type == null || !type.isJson()) {
            return null;
        }
        try {
            return Json.read(text, JsonNode.class);
        } catch (LonghaulException e) {
            return null;
        }
    }
}
