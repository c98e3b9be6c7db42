package dev.longhaul.server.outbound;

import static dev.longhaul.JobOptions.options;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.longhaul.Longhaul;
import dev.longhaul.event.EventQuery;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs of the definition http, against a real server. */
@Timeout(60)
class HttpJobTest {
    private static final ConcurrentLinkedQueue<String> REQUESTS = new ConcurrentLinkedQueue<>();
    private static final String SECRET = "Bearer canary-7391";

    private static final HttpServer SERVER = server();
    private static final Longhaul LONGHAUL = Longhaul.builder()
            .memory()
            .register(HttpJob.definition(List.of("127.0.0.0/8")))
            .drain(Duration.ZERO)
            .start();

    private static HttpServer server() {
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", HttpJobTest::answer);
            server.start();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterAll
    static void stop() {
        LONGHAUL.close();
        SERVER.stop(0);
    }

    /** Responds with the status at the start of the path, and the query as body. */
    private static void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
        REQUESTS.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                + exchange.getRequestHeaders().getFirst("Authorization") + " "
                + exchange.getRequestHeaders().getFirst("Content-Type") + " " + body);
        String path = exchange.getRequestURI().getPath();
        int status = Integer.parseInt(path.substring(1, 4));
        String query = exchange.getRequestURI().getQuery();
        byte[] answer = (query == null ? "" : query.equals("large") ? "x".repeat(200_000) : query).getBytes(UTF_8);
        exchange.getResponseHeaders().add("Content-Type", path.endsWith("json") ? "application/json" : "text/plain");
        exchange.getResponseHeaders().add("X-Internal", "hidden");
        if (status == 302) {
            exchange.getResponseHeaders().add("Location", "/200/redirected");
        }
        exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    private static String url(String path) {
        return "http://127.0.0.1:" + SERVER.getAddress().getPort() + path;
    }

    private static Job ended(String params, int attempts) {
        JobId id = LONGHAUL.jobs()
                .enqueue("http", null, params, options().maxAttempts(attempts))
                .id();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
        while (!LONGHAUL.find(id).orElseThrow().state().terminal()) {
            assertThat(System.nanoTime()).as("%s", LONGHAUL.find(id)).isLessThan(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        return LONGHAUL.find(id).orElseThrow();
    }

    private static Job get(String path) {
        return ended("{\"url\":" + Json.write(url(path)) + "}", 1);
    }

    private static JsonNode result(Job job) {
        assertThat(job.status()).as("%s", job.failure()).isEqualTo(JobStatus.SUCCEEDED);
        return Objects.requireNonNull(Json.read(Objects.requireNonNull(job.result()), JsonNode.class));
    }

    private static Failure failure(Job job) {
        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        return Objects.requireNonNull(job.failure());
    }

    @Nested
    class Returns {
        @Test
        void the_status_some_headers_and_the_text() {
            JsonNode result = result(get("/200/text?hello"));
            assertThat(result.get("status").asInt()).isEqualTo(200);
            assertThat(result.get("body").asText()).isEqualTo("hello");
            assertThat(result.at("/headers/content-type").asText()).isEqualTo("text/plain");
            assertThat(result.get("headers").has("x-internal")).isFalse();
        }

        @Test
        void json_as_json() {
            assertThat(result(get("/201/json?%7B%22a%22:1%7D")).at("/json/a").asInt())
                    .isEqualTo(1);
            assertThat(result(get("/200/json?broken")).get("body").asText()).isEqualTo("broken");
        }
    }

    @Nested
    class Sends {
        @Test
        void method_headers_and_body_and_keeps_header_values_secret() {
            Job job = ended(
                    "{\"method\":\"PUT\",\"url\":" + Json.write(url("/200/put?" + "ok"))
                            + ",\"headers\":{\"Authorization\":\"" + SECRET + "\"},\"body\":{\"n\":1}}",
                    1);
            result(job);
            assertThat(REQUESTS)
                    .anyMatch(one -> one.startsWith("PUT /200/put?ok " + SECRET + " application/json")
                            && one.endsWith("{\"n\":1}"));
            assertThat(LONGHAUL.jobs().paramsToShow(job)).doesNotContain("canary-7391");
            assertThat(LONGHAUL.store().jobs().events(EventQuery.of(job.id())).toString())
                    .doesNotContain("canary-7391");
        }

        @Test
        void no_header_that_disguises_the_request() {
            for (String header : List.of("\"Host\":\"a\"", "\"a b\":\"c\"", "\"x\":\"a\\r\\nb: c\"")) {
                Failure failure =
                        failure(ended("{\"url\":" + Json.write(url("/200/x")) + ",\"headers\":{" + header + "}}", 3));
                assertThat(failure.code()).isEqualTo(Failure.GIVEN_UP);
                assertThat(failure.message()).startsWith("headers");
            }
        }
    }

    @Nested
    class Fails {
        @Test
        void for_good_on_statuses_that_another_attempt_would_get_too() {
            for (int status : List.of(302, 400, 404)) {
                Job job = ended("{\"url\":" + Json.write(url("/" + status + "/x")) + "}", 3);
                assertThat(failure(job).code()).isEqualTo(Failure.GIVEN_UP);
                assertThat(failure(job).message()).isEqualTo("status: " + status + " (expected: 2xx)");
                assertThat(job.tally().attempts()).isEqualTo(1);
            }
            assertThat(REQUESTS).noneMatch(one -> one.contains("redirected"));
        }

        @Test
        void with_a_retry_on_errors_of_the_server_and_of_the_connection() throws IOException {
            for (int status : List.of(503, 429)) {
                Job job = ended("{\"url\":" + Json.write(url("/" + status + "/x")) + "}", 2);
                assertThat(failure(job).code()).isEqualTo(Failure.EXCEPTION);
                assertThat(job.tally().attempts()).isEqualTo(2);
            }
            int closed;
            try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                closed = socket.getLocalPort();
            }
            Job job = ended("{\"url\":\"http://127.0.0.1:" + closed + "/\"}", 2);
            assertThat(failure(job).code()).isEqualTo(Failure.EXCEPTION);
            assertThat(failure(job).message()).isEqualTo("connection refused by 127.0.0.1:" + closed);
            assertThat(failure(job).stack()).doesNotContain("netty").doesNotContain("Caused by");
            assertThat(job.tally().attempts()).isEqualTo(2);
        }

        @Test
        void when_the_server_closes_the_connection_instead_of_responding() throws Exception {
            try (var closing = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
                var server = new Thread(() -> {
                    try {
                        closing.accept().close();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
                server.start();
                String to = "127.0.0.1:" + closing.getLocalPort();
                Job job = ended("{\"url\":\"http://" + to + "/\"}", 1);
                server.join();
                assertThat(failure(job).message()).contains(to).doesNotContain("no response within");
            }
        }

        @Test
        void on_credentials_in_the_url() {
            for (String host : List.of("127.0.0.1", "some_host")) {
                Failure failure = failure(ended("{\"url\":\"http://user:canary-7391@" + host + "/\"}", 3));
                assertThat(failure.code()).isEqualTo(Failure.GIVEN_UP);
                assertThat(failure.message()).contains("headers.authorization");
                assertThat(String.valueOf(failure)).doesNotContain("canary-7391");
            }
        }

        @Test
        void unless_the_status_is_expected() {
            Job job = ended("{\"url\":" + Json.write(url("/404/x?gone")) + ",\"expectedStatus\":[200,404]}", 1);
            assertThat(result(job).get("body").asText()).isEqualTo("gone");
            Job other = ended("{\"url\":" + Json.write(url("/201/x")) + ",\"expectedStatus\":[200,404]}", 1);
            assertThat(failure(other).message()).isEqualTo("status: 201 (expected: 200 or 404)");
        }

        @Test
        void when_the_server_does_not_respond_in_time() throws IOException {
            try (var silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
                Job job =
                        ended("{\"url\":\"http://127.0.0.1:" + silent.getLocalPort() + "/\",\"timeoutSeconds\":1}", 1);
                assertThat(failure(job).message()).isEqualTo("no response within 1 s");
            }
        }

        @Test
        void on_a_response_that_is_too_large() {
            assertThat(failure(get("/200/text?large")).message()).startsWith("response: more than 100000 bytes");
        }

        @Test
        void on_addresses_that_are_not_allowed() {
            for (String url : List.of(
                    "http://10.0.0.1/",
                    "https://169.254.169.254/latest",
                    "http://[::1]/",
                    "ftp://127.0.0.1/",
                    "not a url")) {
                Failure failure = failure(ended("{\"url\":" + Json.write(url) + "}", 3));
                assertThat(failure.code()).as(url).isEqualTo(Failure.GIVEN_UP);
            }
        }
    }
}
