package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.access.Role;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventType;
import dev.longhaul.event.NewEvent;
import dev.longhaul.rpc.v1.EnqueueJobRequest;
import dev.longhaul.rpc.v1.GetJobRequest;
import dev.longhaul.rpc.v1.JobEventsServiceGrpc;
import dev.longhaul.rpc.v1.JobServiceGrpc;
import dev.longhaul.rpc.v1.ListJobsRequest;
import dev.longhaul.server.http.StrictJson;
import dev.longhaul.server.rpc.RpcRoles;
import dev.longhaul.server.rpc.TaskToken;
import dev.longhaul.work.RunUpdate;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid requests, and requests of callers without permission. */
class RpcBadInputTest {
    private static final String ENQUEUE = "/longhaul.v1.JobService/EnqueueJob";
    private static final String GET = "/longhaul.v1.JobService/GetJob";
    private static final String WATCH = "/longhaul.v1.JobEventsService/StreamJobEvents";
    private static final String DEQUEUE = "/longhaul.v1.JobService/DequeueJob";

    @RegisterExtension
    final Doors doors = new Doors();

    final Rpc rpc = new Rpc(doors.port());
    private final HttpClient http = HttpClient.newHttpClient();

    @AfterEach
    void close() {
        // The server still serves other clients.
        assertThat(HealthGrpc.newBlockingStub(rpc.channel)
                        .check(HealthCheckRequest.getDefaultInstance())
                        .getStatus())
                .isEqualTo(HealthCheckResponse.ServingStatus.SERVING);
        rpc.close();
    }

    private HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + doors.port() + path));
    }

    private HttpResponse<byte[]> post(String path, String type, byte[] body, String... headers) throws Exception {
        var request = request(path).header("Content-Type", type).POST(HttpRequest.BodyPublishers.ofByteArray(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send(request);
    }

    private static JsonNode json(HttpResponse<byte[]> response) throws Exception {
        return Api.JSON.readTree(response.body());
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Nested
    class Connect {
        @Test
        void responds_with_json_to_curl() throws Exception {
            var reply = post(ENQUEUE, "application/json", utf8("{\"queue\":\"far\",\"params\":\"{}\"}"));

            assertThat(reply.statusCode()).isEqualTo(200);
            String id = json(reply).get("jobId").asText();
            String message = URLEncoder.encode("{\"jobId\":\"" + id + "\"}", StandardCharsets.UTF_8);
            var got = send(request(GET + "?connect=v1&encoding=json&message=" + message));
            assertThat(json(got).at("/job/jobId").asText()).isEqualTo(id);
        }

        @Test
        void bad_json_is_reported_with_its_place() throws Exception {
            var reply = post(ENQUEUE, "application/json", utf8("{\"queue\":7"));

            assertThat(reply.statusCode()).isEqualTo(400);
            assertThat(json(reply).get("code").asText()).isEqualTo("invalid_argument");
            assertThat(json(reply).get("message").asText()).startsWith("message: ");
        }

        @Test
        void doubled_fields_are_rejected_by_name() throws Exception {
            for (String body : List.of(
                    "{\"queue\":\"near\",\"queue\":\"far\"}",
                    "{\"queue\":\"far\",\"labels\":{\"team\":\"a\",\"team\":\"b\"}}")) {
                var reply = post(ENQUEUE, "application/json", utf8(body));

                assertThat(reply.statusCode()).isEqualTo(400);
                assertThat(json(reply).get("code").asText()).isEqualTo("invalid_argument");
                assertThat(json(reply).get("message").asText())
                        .containsIgnoringCase("duplicate")
                        .contains(body.contains("team") ? "team" : "queue");
            }
        }

        @Test
        void more_fields_than_any_message_needs_are_rejected() throws Exception {
            String labels = IntStream.range(0, 70_000)
                    .mapToObj(i -> "\"k" + i + "\":\"\"")
                    .collect(Collectors.joining(","));
            var reply = post(ENQUEUE, "application/json", utf8("{\"labels\":{" + labels + "}}"));

            assertThat(reply.statusCode()).isEqualTo(400);
            assertThat(json(reply).get("message").asText()).contains("more than " + StrictJson.MOST_FIELDS + " fields");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {"{", "{\"queue\":", "[", "{\"queue\":NaN}", "{'queue':1}", "{\"priority\":\"x\"}", "", "{}x"
                })
        void errors_name_no_classes(String body) throws Exception {
            var reply = post(ENQUEUE, "application/json", utf8(body));

            assertThat(reply.statusCode()).isEqualTo(400);
            assertThat(json(reply).get("message").asText())
                    .doesNotContain("java.", "com.google", "Exception", "Source", "StreamRead", "JsonRead");
        }

        @Test
        void unknown_fields_are_refused() throws Exception {
            var reply = post(ENQUEUE, "application/json", utf8("{\"queu\":\"far\"}"));

            assertThat(reply.statusCode()).isEqualTo(400);
            assertThat(json(reply).get("message").asText()).contains("queu");
        }

        @Test
        void another_media_type_gets_the_supported_ones() throws Exception {
            var reply = post(ENQUEUE, "text/plain", utf8("hello"));

            assertThat(reply.statusCode()).isEqualTo(415);
            assertThat(reply.headers().firstValue("accept-post").orElse("")).contains("application/connect+json");
            assertThat(post(DEQUEUE, "application/json", utf8("{}")).statusCode())
                    .isEqualTo(415);
        }

        @Test
        void get_is_only_for_what_changes_nothing() throws Exception {
            var reply = send(request(ENQUEUE + "?connect=v1&encoding=json&message=%7B%7D"));

            assertThat(reply.statusCode()).isEqualTo(405);
            assertThat(reply.headers().firstValue("allow")).hasValue("POST");
        }

        @Test
        void methods_that_do_not_exist_are_not_found() throws Exception {
            assertThat(post("/longhaul.v1.JobService/Nothing", "application/json", utf8("{}"))
                            .statusCode())
                    .isEqualTo(404);
        }

        @Test
        void timeouts_that_are_no_numbers_are_refused_and_expired_ones_reported() throws Exception {
            assertThat(json(post(ENQUEUE, "application/json", utf8("{}"), "Connect-Timeout-Ms", "-1"))
                            .get("code")
                            .asText())
                    .isEqualTo("invalid_argument");
            String id = doors.start("test.wait", "");
            byte[] watch = utf8("{\"jobId\":\"" + id + "\"}");
            byte[] framed = ByteBuffer.allocate(5 + watch.length)
                    .put((byte) 0)
                    .putInt(watch.length)
                    .put(watch)
                    .array();

            assertThat(new String(
                            post(WATCH, "application/connect+json", framed, "Connect-Timeout-Ms", "500")
                                    .body(),
                            StandardCharsets.UTF_8))
                    .contains("\"error\":{\"code\":\"deadline_exceeded\"");
        }

        @Test
        void other_versions_of_the_protocol_are_refused() throws Exception {
            assertThat(json(post(ENQUEUE, "application/json", utf8("{}"), "Connect-Protocol-Version", "2"))
                            .get("code")
                            .asText())
                    .isEqualTo("invalid_argument");
            assertThat(send(request("/longhaul.v1.JobService/ListJobs?connect=v2&encoding=json&message=%7B%7D"))
                            .statusCode())
                    .isEqualTo(400);
        }

        @Test
        void compressed_messages_are_bounded_by_what_they_become() throws Exception {
            var bomb = new ByteArrayOutputStream();
            try (var zip = new GZIPOutputStream(bomb)) {
                zip.write(utf8("{\"params\":\""));
                zip.write(new byte[64 << 20]);
                zip.write(utf8("\"}"));
            }
            var reply = post(ENQUEUE, "application/json", bomb.toByteArray(), "Content-Encoding", "gzip");

            assertThat(reply.statusCode()).isEqualTo(429);
            assertThat(json(reply).get("code").asText()).isEqualTo("resource_exhausted");
            assertThat(json(post(ENQUEUE, "application/json", utf8("{}"), "Content-Encoding", "br"))
                            .get("code")
                            .asText())
                    .isEqualTo("unimplemented");
        }

        @Test
        void a_message_of_10_mb_is_too_large() throws Exception {
            var reply = post(ENQUEUE, "application/json", new byte[10 << 20]);

            assertThat(reply.statusCode()).isEqualTo(429);
        }

        @Test
        void a_stream_called_like_a_unary_method_gets_the_framing_in_its_error() throws Exception {
            var reply = post(DEQUEUE, "application/json", utf8("{\"queue\":\"far\"}"));

            assertThat(reply.statusCode()).isEqualTo(415);
            assertThat(new String(reply.body(), StandardCharsets.UTF_8))
                    .contains("DequeueJob is a stream")
                    .contains("application/connect+json")
                    .contains("5 bytes");
        }

        @Test
        void a_message_without_a_frame_gets_the_framing_in_its_error() throws Exception {
            var reply = post(DEQUEUE, "application/connect+json", utf8("{\"queue\":\"far\"}"));

            assertThat(new String(reply.body(), StandardCharsets.UTF_8))
                    .contains("invalid_argument")
                    .contains("5 bytes before each message")
                    .doesNotContain("armeria");
        }

        @Test
        void garbage_instead_of_frames_ends_the_stream_with_an_error() throws Exception {
            var garbage = new byte[1000];
            new Random(1).nextBytes(garbage);
            var reply = post(DEQUEUE, "application/connect+proto", garbage);

            assertThat(reply.statusCode()).isEqualTo(200);
            assertThat(new String(reply.body(), StandardCharsets.UTF_8)).contains("\"error\"");
        }
    }

    /** Regression: such params were accepted and failed only when a handler returned them. */
    @Test
    void half_a_surrogate_pair_is_refused_by_every_transport() {
        String half = "{\"text\":\"\\ud83d\"}";
        var failure = catchThrowableOfType(StatusRuntimeException.class, () -> rpc.enqueue("far", half));

        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(failure.getStatus().getDescription()).contains("params");
        assertThat(doors.api
                        .post("/v1/jobs", "{\"definitionKey\":\"task\",\"params\":" + half + "}")
                        .status())
                .isEqualTo(400);
        assertThat(rpc.enqueue("far", "{\"text\":\"\\ud83d\\ude00\"}")).isNotEmpty();
    }

    @Nested
    class Grpc {
        @Test
        void a_message_of_10_mb_is_too_large() {
            var failure = catchThrowableOfType(
                    StatusRuntimeException.class,
                    () -> rpc.jobs.enqueueJob(EnqueueJobRequest.newBuilder()
                            .setParams("\"" + "x".repeat(10 << 20) + "\"")
                            .build()));

            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        }

        @Test
        void garbage_is_an_error_of_its_own_call() throws Exception {
            var garbage = new byte[1000];
            new Random(2).nextBytes(garbage);
            var reply = post(ENQUEUE, "application/grpc-web+proto", garbage);

            assertThat(reply.statusCode()).isEqualTo(200);
            assertThat(reply.headers().firstValue("grpc-status"))
                    .isPresent()
                    .get()
                    .isNotEqualTo("0");
        }

        @Test
        void a_connection_that_sends_half_a_request_affects_no_other() throws Exception {
            var sockets = new ArrayList<Socket>();
            for (int i = 0; i < 50; i++) {
                var socket = new Socket(InetAddress.getLoopbackAddress(), doors.port());
                OutputStream out = socket.getOutputStream();
                out.write(utf8("POST " + DEQUEUE + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/grpc\r\n"
                        + "Content-Length: 100000\r\n\r\nhalf"));
                out.flush();
                sockets.add(socket);
            }
            assertThat(rpc.enqueue("far", "{}")).isNotEmpty();
            for (Socket socket : sockets) {
                socket.close();
            }
        }

        @Test
        @Tag("full")
        void a_stream_that_never_reads_is_bounded_and_cut_off() throws Exception {
            rpc.enqueue("never", "{}");
            var task = rpc.dequeueOne("never");
            var store = doors.longhaul().store();
            var claim = TaskToken.parse(task.getTaskToken());
            String payload = "{\"text\":\"" + "x".repeat(200_000) + "\"}";
            for (int i = 1; i <= 200; i++) {
                store.work()
                        .save(List.of(
                                RunUpdate.events(claim, List.of(new NewEvent(i, EventType.CUSTOM, null, payload)))));
            }
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), doors.port())) {
                byte[] message = utf8("{\"jobId\":\"" + task.getJobId() + "\"}");
                var body = new ByteArrayOutputStream();
                body.write(new byte[] {0, 0, 0, 0, (byte) message.length});
                body.write(message);
                socket.getOutputStream()
                        .write(utf8("POST /longhaul.v1.JobEventsService/StreamJobEvents HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                + "Content-Type: application/connect+json\r\nContent-Length: " + body.size()
                                + "\r\n\r\n"));
                socket.getOutputStream().write(body.toByteArray());
                InputStream in = socket.getInputStream();
                assertThat(in.read()).isEqualTo('H');
                long until = System.nanoTime() + Duration.ofSeconds(40).toNanos();
                while (doors.server().live().streams() > 0) {
                    assertThat(System.nanoTime()).as("still open").isLessThan(until);
                    Thread.sleep(100);
                }
            }
        }
    }

    @Nested
    class Access {
        @Test
        void every_method_has_a_role() {
            var methods = new ArrayList<String>();
            for (var service :
                    List.of(JobServiceGrpc.getServiceDescriptor(), JobEventsServiceGrpc.getServiceDescriptor())) {
                service.getMethods().stream()
                        .map(MethodDescriptor::getFullMethodName)
                        .forEach(methods::add);
            }
            assertThat(RpcRoles.ALL.required().keySet()).containsExactlyInAnyOrderElementsOf(methods);
        }

        @Test
        void a_method_without_a_role_is_rejected_and_keeps_the_server_from_starting() {
            var roles = new RpcRoles(Map.of("a.Service/Known", Role.VIEWER), Set.of("a.Service/Open"));
            roles.requireDeclared(List.of("a.Service/Known", "a.Service/Open"));

            var failure = catchThrowableOfType(
                    LonghaulException.class,
                    () -> roles.requireDeclared(List.of("a.Service/Known", "a.Service/Forgotten")));
            assertThat(failure.code()).isEqualTo(ErrorCode.PERMISSION_DENIED);
            assertThat(failure).hasMessageContaining("a.Service/Forgotten");
        }

        @Test
        void roles_are_those_of_rest() {
            Map<Role, String> keys = new HashMap<>();
            for (Role role : Role.values()) {
                keys.put(role, doors.key(role.text(), role));
            }
            assertThat(code(null, Role.VIEWER)).isEqualTo(Status.Code.UNAUTHENTICATED);
            assertThat(code("wrong", Role.VIEWER)).isEqualTo(Status.Code.UNAUTHENTICATED);
            keys.forEach((role, key) -> {
                for (Role needed : List.of(Role.VIEWER, Role.SUBMITTER, Role.WORKER)) {
                    Status.Code expected = role.covers(needed) ? Status.Code.OK : Status.Code.PERMISSION_DENIED;
                    assertThat(code(key, needed)).as(role + " as " + needed).isEqualTo(expected);
                }
            });
        }

        /** The status of a call that requires the role. */
        private Status.Code code(@Nullable String key, Role needed) {
            try (var caller = new Rpc(doors.port(), key)) {
                switch (needed) {
                    case SUBMITTER -> caller.enqueue("roles", "{}");
                    case WORKER -> caller.dequeue("roles.none", 1, Duration.ZERO);
                    default -> caller.jobs.listJobs(ListJobsRequest.getDefaultInstance());
                }
                return Status.Code.OK;
            } catch (StatusRuntimeException e) {
                return e.getStatus().getCode();
            }
        }

        @Test
        void operators_see_more_than_viewers() {
            String operator = doors.key("operator", Role.OPERATOR);
            String viewer = doors.key("viewer", Role.VIEWER);
            try (var asking = new Rpc(doors.port(), operator);
                    var viewing = new Rpc(doors.port(), viewer)) {
                String id = asking.enqueue("views", "{}");
                var request = GetJobRequest.newBuilder().setJobId(id).build();
                assertThat(asking.jobs.getJob(request).getJob().getCreatedBy()).isEqualTo("operator");
                assertThat(viewing.jobs.getJob(request).getJob().getCreatedBy()).isEmpty();
                assertThat(viewing.jobs.getJob(request).getJob().hasMaxAttempts())
                        .isFalse();
            }
        }

        @Test
        void a_malformed_id_never_reaches_the_store() {
            var failure = catchThrowableOfType(
                    StatusRuntimeException.class,
                    () -> rpc.jobs.getJob(GetJobRequest.newBuilder()
                            .setJobId(UUID.randomUUID() + "x")
                            .build()));
            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        }
    }
}
