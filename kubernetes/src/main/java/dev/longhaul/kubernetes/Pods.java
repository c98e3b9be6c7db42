package dev.longhaul.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The definition {@code pod}, whose params contain the image and the command. Enable it only with images that any
 * client may run.
 */
public final class Pods {
    public static final String KEY = "pod";

    /**
     * The schema of the params. Values of variables are writeOnly: they are secrets, which no reader of the job may
     * see.
     */
    private static final String PARAMS = """
            {
              "type": "object",
              "properties": {
                "image": {"type": "string", "minLength": 1, "maxLength": 500},
                "argv": {"type": "array", "items": {"type": "string"}, "maxItems": 1000},
                "env": {"type": "object", "additionalProperties": {"type": "string", "writeOnly": true}},
                "memory": {"type": "string"},
                "cpu": {"type": "number", "minimum": 0.01}
              },
              "required": ["image"],
              "additionalProperties": false
            }
            """;

    private Pods() {}

    /**
     * Returns the definition {@code pod}.
     *
     * @param images the images that jobs may use; a star matches any text: {@code registry.example.org/*}
     */
    public static JobDefinition<JsonNode, JsonNode> any(List<String> images) {
        Pattern allowed = pattern(images);
        return JobDefinition.of(KEY, JsonNode.class, JsonNode.class)
                .paramsSchema(PARAMS)
                .isolation(Isolation.pod("any"))
                .handler(new PodHandler(params -> command(params, allowed, images)));
    }

    private static Pattern pattern(List<String> images) {
        return Pattern.compile(images.stream()
                .map(image -> Pattern.compile("\\*")
                        .splitAsStream(image + " ")
                        .map(part -> part.isEmpty() ? "" : Pattern.quote(part.strip()))
                        .collect(Collectors.joining(".*")))
                .collect(Collectors.joining("|")));
    }

    private static PodCommand command(JsonNode params, Pattern allowed, List<String> images) {
        String image = params.get("image").textValue();
        if (!allowed.matcher(image).matches()) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT,
                    "image: " + image + " (expected: an image that --pod-images allows: " + String.join(", ", images)
                            + ")");
        }
        Isolation.InPod pod = Isolation.pod(image);
        if (params.has("memory")) {
            pod = pod.memory(params.get("memory").textValue());
        }
        if (params.has("cpu")) {
            pod = pod.cpu(params.get("cpu").doubleValue());
        }
        List<String> argv = new ArrayList<>();
        params.path("argv").forEach(word -> argv.add(word.textValue()));
        var variables = new TreeMap<String, String>();
        params.path("env")
                .properties()
                .forEach(entry -> variables.put(entry.getKey(), entry.getValue().textValue()));
        return new PodCommand(pod, argv, variables);
    }
}
