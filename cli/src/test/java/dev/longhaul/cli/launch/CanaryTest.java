package dev.longhaul.cli.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A secret is not visible anywhere, whatever the code does with it. */
@Tag("full")
@Tag("jdk")
@Timeout(300)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "signals are sent with kill")
class CanaryTest {
    /** A text that occurs nowhere else; the secret contains it with quotes, a line end and other characters. */
    private static final String CANARY = "s3cret-c4nary";

    private static final String SECRET = "x\"\\ü/\t-" + CANARY + "-/ü\nsecond/" + CANARY + "-line";
    private static final String JOBS = """
            package test;

            import dev.longhaul.*;
            import dev.longhaul.json.*;
            import java.util.List;
            import java.util.Map;
            import org.slf4j.LoggerFactory;

            public final class Canaries implements JobDefinitions {
                public record Params(@Secret String password, String name) {}

                private static final JobDefinition<Params, Map> TALK = JobDefinition.of("canary.talk", Params.class, Map.class)
                        .maxAttempts(2)
                        .onStart((context, params) -> {
                            throw new IllegalStateException("hook with " + params.password());
                        })
                        .handler((params, context) -> {
                            context.log().warn("log {}", params.password());
                            context.progress(10, "progress " + params.password());
                            context.emit("event", Map.of(params.password(), List.of(params.password(), 1)));
                            LoggerFactory.getLogger("test").warn("own logger {}", params.password(),
                                    new IllegalStateException("caused by " + params.password()));
                            LoggerFactory.getLogger("test").warn("password=by-name-s3cret-c4nary");
                            throw new IllegalArgumentException("failed with " + params.password());
                        });

                private static final JobDefinition<Params, Map> ECHO = JobDefinition.of("canary.echo", Params.class, Map.class)
                        .onEnd((context, result) -> LoggerFactory.getLogger("test").warn("hook heard {}", result))
                        .handler((params, context) -> Map.of("echo", "it is " + params.password()));

                private static final JobDefinition<Params, String> CHILD = JobDefinition.of("canary.child", Params.class, String.class)
                        .isolation(Isolation.process())
                        .maxAttempts(1)
                        .handler((params, context) -> {
                            int half = params.password().length() / 2;
                            System.out.print("in pieces " + params.password().substring(0, half));
                            System.out.flush();
                            Thread.sleep(300);
                            System.out.println(params.password().substring(half));
                            System.err.println(params.password());
                            context.log().info("log {}", params.password());
                            if (params.name().equals("crash")) {
                                Runtime.getRuntime().halt(134);
                            }
                            throw new IllegalStateException(params.password());
                        });

                @Override
                public Iterable<JobDefinition<?, ?>> definitions() {
                    return List.of(TALK, ECHO, CHILD);
                }
            }
            """;

    /** The secret of a webhook submitted with a job. */
    private static final String SIGNING =
            "whsec_" + Base64.getEncoder().encodeToString("a webhook's own s3cret-c4nary".getBytes(UTF_8));

    private final Receiver receiver = new Receiver();

    @TempDir
    Path directory;

    @AfterEach
    void close() {
        receiver.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "json"})
    void a_secret_is_seen_nowhere(String format) throws Exception {
        Path classes = directory.resolve("classes");
        UserJobs.compile(classes, "Canaries", JOBS, "test.Canaries");
        try (var server = LonghaulProcess.start(
                        directory,
                        "server",
                        "--store=memory",
                        "--port=0",
                        "--allow-commands",
                        "--webhook-networks=127.0.0.0/8",
                        "--log=debug",
                        "--log-format=" + format,
                        "--otlp-endpoint=" + receiver.url("/v1/traces"),
                        "--trace-ratio=1",
                        "--jobs=" + classes,
                        "--default-isolation=thread")
                .awaitReady()) {
            List<String> ids = askedFor(server);
            new ConnectWorker(server).failWithItsParams("far", SECRET);
            ids.forEach(id -> server.await(id, CanaryTest::ended));
            String message = receiver.delivery();
            assertThat(message).contains("job.failed", "failed with ***");
            assertThat(server.awaitLine("hook heard")).contains("it is ***", ids.get(1), "canary.echo@1");
            server.signal("QUIT");
            server.awaitLine("Full thread dump");

            Map<String, String> shown = everything(server, ids);
            shown.put("webhook", message);
            server.interrupt();
            shown.put("output", server.output());
            shown.put("traces", receiver.spans());
            shown.forEach((where, text) -> assertThat(text).as("%s", where).doesNotContain(CANARY, SIGNING));
            // The values are masked, not omitted.
            assertThat(shown.get("/v1/jobs/" + ids.get(0) + "/log")).contains("log ***");
            assertThat(shown.get("/v1/jobs/" + ids.get(0))).contains("failed with ***");
            assertThat(shown.get("/v1/jobs/" + ids.get(1))).contains("it is ***");
            assertThat(shown.get("/v1/jobs/" + ids.get(2) + "/log")).contains("in pieces ***");
            assertThat(shown.get("/v1/jobs/" + ids.get(4) + "/log")).contains("out ***");
            assertThat(shown.get("/v1/jobs/" + ids.get(5))).contains("remote failure ***");
            assertThat(shown.get("/v1/jobs/" + ids.get(5) + "/log")).contains("remote log ***", "remote output ***");
            assertThat(shown.get("GetJob " + ids.get(0))).contains("failed with ***");
            assertThat(shown.get("StreamJobEvents " + ids.get(5))).contains("remote progress ***");
            assertThat(shown.get("output")).contains("own logger ***", "password=***");
            assertThat(shown.get("traces")).contains("run canary.talk", "handler", ids.get(0));
        }
    }

    private List<String> askedFor(LonghaulProcess server) throws Exception {
        var json = new ObjectMapper();
        Map<String, String> params = Map.of("password", SECRET, "name", "n");
        Map<String, String> crash = Map.of("password", SECRET, "name", "crash");
        Map<String, Object> command = Map.of(
                "argv",
                List.of("sh", "-c", "echo \"out $PASSWORD\"; echo \"$PASSWORD\" >&2; exit 3"),
                "env",
                Map.of("PASSWORD", SECRET));
        var ids = new ArrayList<String>();
        Map<String, String> webhook = Map.of("url", receiver.url("/in"), "secret", SIGNING);
        ids.add(server.post(
                        "/v1/jobs",
                        json.writeValueAsString(
                                Map.of("definitionKey", "canary.talk", "params", params, "webhook", webhook)))
                .json()
                .path("jobId")
                .asText());
        ids.add(server.submit("canary.echo", json.writeValueAsString(params)));
        ids.add(server.submit("canary.child", json.writeValueAsString(params)));
        ids.add(server.submit("canary.child", json.writeValueAsString(crash)));
        ids.add(server.submit("command", json.writeValueAsString(command)));
        ids.add(server.post(
                        "/v1/jobs",
                        json.writeValueAsString(
                                Map.of("definitionKey", "canary.talk", "params", params, "queue", "far")))
                .json()
                .path("jobId")
                .asText());
        return ids;
    }

    private static boolean ended(JsonNode job) {
        return List.of("succeeded", "failed").contains(job.path("status").asText());
    }

    /** All responses about the jobs. */
    private static Map<String, String> everything(LonghaulProcess server, List<String> ids) throws Exception {
        var shown = new LinkedHashMap<String, String>();
        var rpc = new ConnectWorker(server);
        shown.put("ListJobs", rpc.ask("JobService/ListJobs", Map.of()));
        for (String id : ids) {
            shown.put("GetJob " + id, rpc.ask("JobService/GetJob", Map.of("jobId", id)));
            shown.put(
                    "StreamJobEvents " + id,
                    rpc.messages("JobEventsService/StreamJobEvents", Map.of("jobId", id))
                            .toString());
            for (String part : List.of("", "?view=full", "/events", "/log", "/runs", "/status")) {
                String path = "/v1/jobs/" + id + part;
                shown.put(path, server.get(path).body());
            }
        }
        for (String path : List.of("/v1/jobs", "/v1/stats/failures", "/v1/queues", "/v1/workers", "/metrics", "/")) {
            shown.put(path, server.get(path).body());
        }
        String webhooks = server.get("/v1/webhooks").body();
        String id = server.get("/v1/webhooks")
                .json()
                .path("webhooks")
                .path(0)
                .path("id")
                .asText();
        shown.put(
                "webhooks",
                webhooks + server.get("/v1/webhooks/" + id + "/deliveries").body());
        shown.put(
                "refused",
                server.post(
                                "/v1/jobs",
                                "{\"definitionKey\":\"canary.echo\",\"params\":{\"pasword\":\"" + CANARY
                                        + "\",\"password\":[\"" + CANARY + "\"]}}")
                        .body());
        return shown;
    }
}
