package dev.longhaul.cli.launch;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Calls a server's RPC services like a client in another language: Connect with JSON, without code of Longhaul. */
final class ConnectWorker {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final LonghaulProcess server;

    ConnectWorker(LonghaulProcess server) {
        this.server = server;
    }

    /** Takes the one job of the queue, reports its params in every possible way, and fails. */
    void failWithItsParams(String queue, String password) throws Exception {
        JsonNode task = messages("JobService/DequeueJob", Map.of("queue", queue, "wait", "20s"))
                .get(0);
        String token = task.path("taskToken").asText();
        ask(
                "JobService/UpdateJob",
                Map.of(
                        "taskToken",
                        token,
                        "queue",
                        queue,
                        "progress",
                        Map.of("percent", 5, "message", "remote progress " + password)));
        messages(
                "JobEventsService/PublishJobEvents",
                Map.of(
                        "taskToken",
                        token,
                        "events",
                        List.of(
                                event(1, "LOG", "payload", json(Map.of("message", "remote log " + password))),
                                event(2, "CUSTOM", "payload", json(Map.of("name", "n", "data", List.of(password)))),
                                event(3, "OUTPUT", "outputs", List.of(output("remote output " + password))))));
        ask(
                "JobService/CompleteJob",
                Map.of(
                        "taskToken",
                        token,
                        "jobId",
                        task.path("jobId").asText(),
                        "failed",
                        Map.of("message", "remote failure " + password, "type", password, "stack", password)));
    }

    private static Map<String, Object> event(int sequence, String type, String member, Object value) {
        return Map.of(
                "sequence",
                sequence,
                "type",
                "EVENT_TYPE_" + type,
                "time",
                Instant.now().toString(),
                member,
                value);
    }

    private static Map<String, Object> output(String text) {
        return Map.of("stream", "OUTPUT_STREAM_STDOUT", "data", text.getBytes(UTF_8));
    }

    private static String json(Object value) throws JsonProcessingException {
        return JSON.writeValueAsString(value);
    }

    /** The response to a unary call. */
    String ask(String method, Object message) throws JsonProcessingException {
        var reply = server.post("/longhaul.v1." + method, json(message));
        if (reply.status() != 200) {
            throw new AssertionError(method + ": " + reply);
        }
        return reply.body();
    }

    /** The messages of a streaming call, without the end-of-stream message. */
    List<JsonNode> messages(String method, Object message) throws IOException, InterruptedException {
        byte[] body = JSON.writeValueAsBytes(message);
        byte[] framed = ByteBuffer.allocate(5 + body.length)
                .put((byte) 0)
                .putInt(body.length)
                .put(body)
                .array();
        var request = HttpRequest.newBuilder(URI.create(server.url() + "/longhaul.v1." + method))
                .header("Content-Type", "application/connect+json")
                .header("Authorization", "Bearer " + server.token())
                .timeout(LonghaulProcess.TIMEOUT)
                .POST(HttpRequest.BodyPublishers.ofByteArray(framed));
        var frames = ByteBuffer.wrap(CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofByteArray())
                .body());
        var messages = new ArrayList<JsonNode>();
        while (frames.hasRemaining()) {
            boolean last = frames.get() != 0;
            var text = new byte[frames.getInt()];
            frames.get(text);
            JsonNode answer = JSON.readTree(text);
            if (last && answer.has("error")) {
                throw new AssertionError(method + ": " + answer);
            }
            if (!last) {
                messages.add(answer);
            }
        }
        return messages;
    }
}
