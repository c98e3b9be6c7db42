package dev.longhaul.server.webhook;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.job.JobStatus;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.JobSummary;
import dev.longhaul.webhook.SystemEvent;
import org.jspecify.annotations.Nullable;

/** The body of a delivery: a CloudEvents envelope with a summary of the job. All attempts send the same body. */
final class Message {
    /**
     * Maximum characters of an error message. Longer messages are shortened; the job itself contains the whole text.
     */
    private static final int LONGEST_ERROR = 1000;

    private static final ObjectMapper JSON = new ObjectMapper();

    private Message() {}

    static String of(Delivery delivery) {
        ObjectNode envelope = JsonNodeFactory.instance.objectNode();
        envelope.put("specversion", "1.0");
        envelope.put("id", delivery.id().toString());
        envelope.put("source", "longhaul");
        envelope.put("type", delivery.event().text());
        envelope.put("time", delivery.at().toString());
        envelope.put("datacontenttype", "application/json");
        JobSummary job = delivery.job();
        if (job != null) {
            envelope.put("subject", job.id().toString());
            put(envelope, "traceparent", job.traceparent());
        }
        SystemEvent happening = delivery.happening();
        if (happening != null) {
            envelope.put("subject", happening.subject());
        }
        ObjectNode data = envelope.putObject("data");
        data.put("webhookId", delivery.webhookId().toString());
        if (happening != null) {
            data.setAll(details(happening));
        }
        if (job != null) {
            describe(data, job);
        }
        return envelope.toString();
    }

    private static ObjectNode details(SystemEvent happening) {
        try {
            return (ObjectNode) JSON.readTree(happening.details());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("details are not a JSON object", e);
        }
    }

    private static void describe(ObjectNode data, JobSummary job) {
        data.put("jobId", job.id().toString());
        data.put("position", job.position());
        JobStatus status = job.status();
        put(data, "status", status == null ? null : status.wireName());
        data.put("definitionKey", job.definition().key());
        data.put("definitionVersion", job.definition().version());
        data.put("queue", job.queue());
        data.put("run", job.run());
        data.put("attempts", job.attempts());
        put(data, "name", job.name());
        put(data, "correlationId", job.correlationId());
        ObjectNode labels = data.putObject("labels");
        job.labels().forEach(labels::put);
        String code = job.errorCode();
        if (code != null) {
            ObjectNode error = data.putObject("error").put("code", code);
            String message = job.errorMessage();
            put(error, "message", message == null ? null : cut(message));
        }
    }

    private static String cut(String text) {
        return text.length() <= LONGEST_ERROR ? text : text.substring(0, LONGEST_ERROR);
    }

    private static void put(ObjectNode object, String name, @Nullable String value) {
        if (value != null) {
            object.put(name, value);
        }
    }
}
