package dev.longhaul.server.rpc;

import com.google.protobuf.ByteString;
import dev.longhaul.api.http.Fields;
import dev.longhaul.client.WireTime;
import dev.longhaul.error.Problems;
import dev.longhaul.event.EventType;
import dev.longhaul.event.NewEvent;
import dev.longhaul.event.Payload;
import dev.longhaul.json.JsonSchema;
import dev.longhaul.json.Secrets;
import dev.longhaul.rpc.v1.Output;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/** Decodes events that workers publish. */
final class Published {
    /** Maximum time by which an event may be older than an earlier event of its batch. */
    private static final Duration MOST_BACKWARDS = Duration.ofSeconds(1);

    private static final Duration MOST_AHEAD = Duration.ofMinutes(5);
    private static final String TYPES =
            "LOG, PROCESS_START, OUTPUT, OUTPUT_BATCH, HEARTBEAT, PROCESS_END, PROCESS_ERROR, HOOK_FAILED or CUSTOM";

    private Published() {}

    /** Decodes the events of a batch and hides secrets. Throws the errors of all events at once. */
    static List<NewEvent> events(List<dev.longhaul.rpc.v1.NewEvent> batch, Instant now, Secrets secrets) {
        var problems = new Problems();
        var events = new ArrayList<NewEvent>();
        for (int i = 0; i < batch.size(); i++) {
            var event = batch.get(i);
            String place = "events[" + i + "].";
            NewEvent made = problems.made(() -> event(event, place, now, secrets));
            if (made != null) {
                events.add(made);
            }
        }
        problems.throwIfAny();
        requireOrder(events);
        return events;
    }

    /**
     * Rejects times that decrease by more than a clock adjustment explains. The sequence numbers give the order, so
     * such a time is an error of the worker.
     */
    private static void requireOrder(List<NewEvent> events) {
        var problems = new Problems();
        Instant latest = Instant.MIN;
        for (int i = 0; i < events.size(); i++) {
            Instant at = events.get(i).at();
            if (at == null) {
                continue;
            }
            boolean backwards = latest.isAfter(at.plus(MOST_BACKWARDS));
            problems.require(
                    !backwards,
                    "events[" + i + "].time",
                    at,
                    "at most 1 s before the latest time of the events ahead of it, " + latest);
            latest = at.isAfter(latest) ? at : latest;
        }
        problems.throwIfAny();
    }

    private static NewEvent event(dev.longhaul.rpc.v1.NewEvent event, String place, Instant now, Secrets secrets) {
        var problems = new Problems();
        problems.require(event.hasTime(), place + "time", "missing", "the time of the event");
        Instant at = problems.made(() -> WireTime.instant(place + "time", event.getTime()));
        problems.require(
                at == null || !at.isAfter(now.plus(MOST_AHEAD)), place + "time", at, "at most 5 minutes after " + now);
        EventType type = problems.made(() -> type(event, place));
        String payload = problems.made(() -> payload(event, place));
        problems.throwIfAny();
        return new NewEvent(
                event.getSequence(),
                type == null ? EventType.CUSTOM : type,
                at,
                payload == null ? null : secrets.hideJson(payload));
    }

    private static EventType type(dev.longhaul.rpc.v1.NewEvent event, String place) {
        return switch (event.getType()) {
            case EVENT_TYPE_LOG -> EventType.LOG;
            case EVENT_TYPE_PROCESS_START -> EventType.PROCESS_START;
            case EVENT_TYPE_OUTPUT, EVENT_TYPE_OUTPUT_BATCH -> EventType.OUTPUT;
            case EVENT_TYPE_HEARTBEAT -> EventType.HEARTBEAT;
            case EVENT_TYPE_PROCESS_END -> EventType.PROCESS_END;
            case EVENT_TYPE_PROCESS_ERROR -> EventType.PROCESS_ERROR;
            case EVENT_TYPE_HOOK_FAILED -> EventType.HOOK_FAILED;
            case EVENT_TYPE_CUSTOM -> EventType.CUSTOM;
            default -> throw Fields.bad(place + "type", event.getType().name(), TYPES);
        };
    }

    private static String payload(dev.longhaul.rpc.v1.NewEvent event, String place) {
        boolean output = event.getType() == dev.longhaul.rpc.v1.EventType.EVENT_TYPE_OUTPUT;
        boolean batch = event.getType() == dev.longhaul.rpc.v1.EventType.EVENT_TYPE_OUTPUT_BATCH;
        List<Output> outputs = event.getOutputsList();
        var problems = new Problems();
        problems.require(
                output ? outputs.size() <= 1 : batch || outputs.isEmpty(),
                place + "outputs",
                outputs.size(),
                output ? "one" : "none with an event of this type");
        problems.require(
                outputs.isEmpty()
                        ? !batch && !(output && event.getPayload().isEmpty())
                        : event.getPayload().isEmpty(),
                place + "outputs",
                outputs.size(),
                "either outputs or a payload");
        problems.throwIfAny();
        if (output && !outputs.isEmpty()) {
            return output(outputs.get(0), place);
        }
        if (batch) {
            return outputs.stream()
                    .map(one -> output(one, place))
                    .collect(Collectors.joining(",", "{\"outputs\":[", "]}"));
        }
        if (event.getPayload().isEmpty()) {
            return "{}";
        }
        problems.add(JsonSchema.ANYTHING.problems(place + "payload", event.getPayload()))
                .require(event.getPayload().strip().startsWith("{"), place + "payload", "JSON", "a JSON object")
                .throwIfAny();
        return event.getPayload();
    }

    /** Returns the bytes as text if they are valid text; otherwise in base64, so that no byte changes. */
    private static String output(Output output, String place) {
        String stream = switch (output.getStream()) {
            case OUTPUT_STREAM_STDOUT -> "stdout";
            case OUTPUT_STREAM_STDERR -> "stderr";
            case OUTPUT_STREAM_UNSPECIFIED, UNRECOGNIZED ->
                throw Fields.bad(place + "outputs.stream", output.getStream().name(), "STDOUT or STDERR");
        };
        String start = "{\"stream\":\"" + stream + "\",";
        ByteString data = output.getData();
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(data.asReadOnlyByteBuffer())
                    .toString();
            if (text.indexOf('\0') < 0) {
                return start + "\"text\":" + Payload.quoted(text) + "}";
            }
        } catch (CharacterCodingException e) {
            // The bytes are not valid text, so they are encoded in base64 below.
        }
        return start + "\"base64\":\"" + Base64.getEncoder().encodeToString(data.toByteArray()) + "\"}";
    }
}
