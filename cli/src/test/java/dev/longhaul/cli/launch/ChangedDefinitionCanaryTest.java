package dev.longhaul.cli.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.longhaul.client.LonghaulClient;
import dev.longhaul.job.JobId;
import dev.longhaul.rpc.v1.ListJobsRequest;
import dev.longhaul.rpc.v1.StreamJobEventsRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Secrets of jobs stay masked for every role and transport, however their definition changes. */
@Tag("full")
@Timeout(300)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "signals are sent with kill")
class ChangedDefinitionCanaryTest {
    private static final String CANARY = "s3cret-c4nary";
    private static final String SECRET = "x\"\\ü/\t-" + CANARY + "-/ü\nsecond/" + CANARY + "-line";
    private static final List<String> ROLES = List.of("admin", "operator", "submitter", "viewer", "worker");
    private static final String MARKED =
            "{\"properties\":{\"password\":{\"writeOnly\":true},\"name\":{\"type\":\"string\"}}}";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final Receiver receiver = new Receiver();
    private final Map<String, String> keys = new LinkedHashMap<>();
    private String url = "";

    @TempDir
    Path directory;

    @AfterEach
    void close() {
        receiver.close();
    }

    // Requests

    private HttpResponse<byte[]> send(
            String method, String path, @Nullable String key, byte @Nullable [] body, String... headers) {
        var request = HttpRequest.newBuilder(URI.create(url + path)).timeout(LonghaulProcess.TIMEOUT);
        if (key != null) {
            request.header("Authorization", "Bearer " + key);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        request.method(
                method,
                body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofByteArray(body));
        try {
            var reply = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            assertThat(reply.statusCode()).as("%s %s", method, path).isNotIn(401, 429, 500, 503);
            return reply;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The response to a request of an admin, which must succeed. */
    private JsonNode done(String method, String path, Object body) throws IOException {
        var reply =
                send(method, path, keys.get("admin"), JSON.writeValueAsBytes(body), "Content-Type", "application/json");
        String text = new String(reply.body(), UTF_8);
        assertThat(reply.statusCode()).as("%s %s: %s", method, path, text).isBetween(200, 299);
        return JSON.readTree(text.isEmpty() ? "null" : text);
    }

    private JsonNode rpc(String method, Object body) throws IOException {
        return done("POST", "/longhaul.v1." + method, body);
    }

    /** The complete body of a streaming call over Connect. */
    private String streamed(String method, Object message, @Nullable String key) throws IOException {
        byte[] body = JSON.writeValueAsBytes(message);
        byte[] framed = ByteBuffer.allocate(5 + body.length)
                .put((byte) 0)
                .putInt(body.length)
                .put(body)
                .array();
        return new String(
                send("POST", "/longhaul.v1." + method, key, framed, "Content-Type", "application/connect+json")
                        .body(),
                UTF_8);
    }

    private JsonNode dequeued(String queue) throws IOException {
        String frames = streamed("JobService/DequeueJob", Map.of("queue", queue, "wait", "20s"), keys.get("worker"));
        return JSON.readTree(frames.substring(frames.indexOf('{'), frames.indexOf("}\u0002") + 1));
    }

    // Jobs

    private String submitted(String definition, Object params, Map<String, ?> more) throws IOException {
        var body = new LinkedHashMap<String, Object>(more);
        body.put("definitionKey", definition);
        body.put("params", params);
        return done("POST", "/v1/jobs", body).path("jobId").asText();
    }

    private static Map<String, String> login() {
        return Map.of("password", SECRET, "name", "n");
    }

    private void succeeds(JsonNode task) throws IOException {
        String result = JSON.writeValueAsString(Map.of("password", SECRET, "echo", "it is " + SECRET));
        rpc(
                "JobService/CompleteJob",
                Map.of(
                        "taskToken",
                        task.path("taskToken").asText(),
                        "jobId",
                        task.path("jobId").asText(),
                        "succeeded",
                        Map.of("result", result)));
    }

    private void fails(JsonNode task) throws IOException {
        String token = task.path("taskToken").asText();
        rpc(
                "JobService/UpdateJob",
                Map.of(
                        "taskToken",
                        token,
                        "queue",
                        task.path("queue").asText(),
                        "progress",
                        Map.of("percent", 5, "message", "progress " + SECRET)));
        rpc(
                "JobService/CompleteJob",
                Map.of(
                        "taskToken",
                        token,
                        "jobId",
                        task.path("jobId").asText(),
                        "failed",
                        Map.of("message", "failed with " + SECRET, "type", SECRET, "stack", SECRET)));
    }

    private void registered(String name, String schema) throws IOException {
        rpc(
                "JobService/RegisterDefinitions",
                Map.of(
                        "definitions",
                        List.of(Map.of("definition", name, "paramsSchema", schema, "resultSchema", schema))));
    }

    @Test
    void a_secret_is_seen_nowhere() throws Exception {
        try (var server = LonghaulProcess.start(
                        directory,
                        "server",
                        "--data-dir=" + directory.resolve("data"),
                        "--port=0",
                        "--allow-commands",
                        "--webhook-networks=127.0.0.0/8",
                        "--log=debug",
                        "--otlp-endpoint=" + receiver.url("/v1/traces"),
                        "--trace-ratio=1")
                .awaitReady()) {
            url = server.url();
            keys.put("admin", server.token()); // until a key exists
            for (String role : ROLES) {
                keys.put(
                        role,
                        done("POST", "/v1/keys", Map.of("name", role, "role", role))
                                .path("secret")
                                .asText());
            }
            changed();
            server.interrupt();
            assertHidden(Map.of("output", server.output(), "traces", receiver.spans()));
            assertThat(receiver.spans()).contains("run command");
        }
        String export = commandOutput(Map.of(), List.of("export", "--data-dir=" + directory.resolve("data")));
        assertHidden(Map.of("CLI export", export));
        assertThat(export)
                .contains("\\\"password\\\":\\\"***\\\"", "it is ***", "\"PASSWORD\\\":\\\"***", "{\"end\":{\"rows\":");
    }

    private void changed() throws Exception {
        registered("far.login@1", MARKED);
        String succeeded = submitted("far.login", login(), Map.of("queue", "early"));
        succeeds(dequeued("early"));
        Map<String, ?> webhook = Map.of("webhook", Map.of("url", receiver.url("/in")), "maxAttempts", 1);
        String command = submitted(
                "command",
                Map.of(
                        "argv",
                        List.of("sh", "-c", "echo \"out $PASSWORD\"; echo \"$PASSWORD\" >&2; exit 3"),
                        "env",
                        Map.of("PASSWORD", SECRET)),
                webhook);
        String held = submitted("far.login", login(), Map.of("hold", true));
        String late = submitted("far.login", login(), Map.of("queue", "late", "maxAttempts", 1));
        done(
                "POST",
                "/v1/schedules",
                Map.of(
                        "key",
                        "s",
                        "definitionKey",
                        "far.login",
                        "params",
                        login(),
                        "everySeconds",
                        86_400,
                        "queue",
                        "x"));
        awaitEnd(command);
        assertThat(receiver.delivery()).contains("job.failed").doesNotContain(CANARY);
        var ended = new ArrayList<>(List.of(succeeded, command));
        var waiting = new ArrayList<>(List.of(held, late));

        done("PUT", "/v1/definitions/far.login@1", Map.of("concurrencyLimit", 3));
        done("PUT", "/v1/definitions/command@1", Map.of("concurrencyLimit", 3));
        assertHidden(everything("PUT of a limit", ended, waiting));

        Map<String, Boolean> open = Map.of("paramsSchema", true, "resultSchema", true);
        done("PUT", "/v1/definitions/far.login@1", open);
        done("PUT", "/v1/definitions/command@1", open);
        done("PATCH", "/v1/schedules/s", Map.of("everySeconds", 43_200));
        done("PATCH", "/v1/jobs/" + held, Map.of("params", Map.of("password", SECRET + "2", "name", "edited")));
        waiting.add(
                done("POST", "/v1/schedules/s/trigger", Map.of()).path("jobId").asText());
        awaitEnd(submitted("command", Map.of("argv", List.of("false"), "env", Map.of("P", SECRET)), webhook));
        assertHidden(everything("PUT of schemas", ended, waiting));

        registered("far.login@1", "true");
        fails(dequeued("late"));
        waiting.remove(late);
        ended.add(late);
        assertHidden(everything("registration without marks", ended, waiting));

        registered("far.login@2", "true");
        assertHidden(everything("new version without marks", ended, waiting));

        for (String id : waiting) {
            done("POST", "/v1/jobs/" + id + "/cancel", Map.of());
        }
        ended.addAll(waiting);
        for (String name : List.of("far.login@1", "far.login@2")) {
            done("DELETE", "/v1/definitions/" + name, Map.of());
        }
        Map<String, String> shown = everything("definition deleted", ended, List.of());
        shown.putAll(commandLine(succeeded));
        assertHidden(shown);
        assertMasked(shown, ended);
    }

    /** The values are masked, not omitted. */
    private static void assertMasked(Map<String, String> shown, List<String> ended) {
        for (String id : ended) {
            assertThat(shown.get("definition deleted: admin /v1/jobs/" + id + "?view=full"))
                    .contains(":\"***\"");
        }
        assertThat(shown.get("definition deleted: admin /v1/jobs/" + ended.get(0)))
                .contains("\"password\":\"***\"", "it is ***");
        assertThat(shown.get("definition deleted: viewer /v1/jobs/" + ended.get(1) + "/log"))
                .contains("out ***");
        assertThat(shown.get("definition deleted: viewer gRPC GetJob " + ended.get(2)))
                .contains("failed with ***");
        assertThat(shown.get("definition deleted: viewer /v1/schedules/s")).contains("far.login");
        assertThat(shown.get("CLI get")).contains("it is ***");
    }

    private void awaitEnd(String id) {
        var reply = send("GET", "/v1/jobs/" + id + "?waitSeconds=55", keys.get("admin"), null);
        assertThat(new String(reply.body(), UTF_8)).contains("\"status\":\"failed\"");
    }

    private static void assertHidden(Map<String, String> shown) {
        shown.forEach((where, text) -> assertThat(text).as("%s", where).doesNotContain(CANARY));
    }

    /** All responses about these jobs, for every role and transport. */
    private Map<String, String> everything(String change, List<String> ended, List<String> waiting) throws Exception {
        var shown = new LinkedHashMap<String, String>();
        var all = new ArrayList<>(ended);
        all.addAll(waiting);
        // Roles with most permissions last, because servers cache definitions for a second.
        var roles = new ArrayList<>(keys.entrySet());
        Collections.reverse(roles);
        for (Map.Entry<String, String> entry : roles) {
            String who = change + ": " + entry.getKey() + " ";
            String key = entry.getValue();
            for (String path : paths(all)) {
                shown.put(who + path, new String(send("GET", path, key, null).body(), UTF_8));
            }
            for (String id : ended) {
                String path = "/v1/jobs/" + id + "/events";
                var events = send("GET", path, key, null, "Accept", "text/event-stream");
                shown.put(who + "SSE " + path, new String(events.body(), UTF_8));
                shown.put(
                        who + "Connect StreamJobEvents " + id,
                        streamed("JobEventsService/StreamJobEvents", Map.of("jobId", id), key));
            }
            for (String id : all) {
                shown.put(who + "Connect GetJob " + id, called("JobService/GetJob", Map.of("jobId", id), key));
            }
            shown.put(who + "Connect ListJobs", called("JobService/ListJobs", Map.of(), key));
            if (!entry.getKey().equals("worker")) {
                shown.putAll(overGrpc(who, key, ended, all));
            }
        }
        return shown;
    }

    private static List<String> paths(List<String> ids) {
        var paths = new ArrayList<>(List.of(
                "/v1/jobs",
                "/v1/stats/failures",
                "/v1/definitions",
                "/v1/schedules",
                "/v1/schedules/s",
                "/v1/schedules/s/jobs",
                "/v1/audit",
                "/v1/webhooks",
                "/metrics"));
        for (String id : ids) {
            for (String part : List.of("", "?view=full", "/events", "/log", "/runs", "/status", "/why")) {
                paths.add("/v1/jobs/" + id + part);
            }
        }
        return paths;
    }

    private String called(String method, Object message, String key) throws IOException {
        return new String(
                send(
                                "POST",
                                "/longhaul.v1." + method,
                                key,
                                JSON.writeValueAsBytes(message),
                                "Content-Type",
                                "application/json")
                        .body(),
                UTF_8);
    }

    private Map<String, String> overGrpc(String who, String key, List<String> ended, List<String> all)
            throws InterruptedException {
        var shown = new LinkedHashMap<String, String>();
        try (var client = LonghaulClient.connect(URI.create(url), key)) {
            shown.put(
                    who + "gRPC ListJobs",
                    client.list(ListJobsRequest.getDefaultInstance()).toString());
            for (String id : all) {
                shown.put(who + "gRPC GetJob " + id, client.get(JobId.parse(id)).toString());
            }
            for (String id : ended) {
                var events = new StringBuilder();
                client.events(StreamJobEventsRequest.newBuilder().setJobId(id).build(), events::append);
                shown.put(who + "gRPC StreamJobEvents " + id, events.toString());
            }
        }
        return shown;
    }

    private Map<String, String> commandLine(String id) throws Exception {
        var environment = Map.of("LONGHAUL_URL", url, "LONGHAUL_KEY", String.valueOf(keys.get("admin")));
        var shown = new LinkedHashMap<String, String>();
        for (List<String> arguments :
                List.of(List.of("get", id, "--json"), List.of("list", "--json"), List.of("watch", id))) {
            shown.put("CLI " + arguments.get(0), commandOutput(environment, arguments));
        }
        return shown;
    }

    private String commandOutput(Map<String, String> environment, List<String> arguments) throws Exception {
        try (var process = LonghaulProcess.start(directory, environment, arguments.toArray(String[]::new))) {
            process.awaitExit();
            return process.output();
        }
    }
}
