package dev.longhaul.process.command;

import static dev.longhaul.Isolation.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.JobDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The definition {@code command}, whose params contain the command. Enable it only if clients may run any program here. */
public final class Commands {
    public static final String KEY = "command";

    /**
     * The schema of the params. Values of variables are writeOnly: they are secrets, which no reader of the job may
     * see.
     */
    private static final String PARAMS = """
            {
              "type": "object",
              "properties": {
                "argv": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 1000},
                "env": {"type": "object", "additionalProperties": {"type": "string", "writeOnly": true}},
                "dir": {"type": "string"},
                "stdin": {"type": "string"},
                "timeoutSeconds": {"type": "integer", "minimum": 1, "maximum": 2147483647}
              },
              "required": ["argv"],
              "additionalProperties": false
            }
            """;

    private Commands() {}

    public static JobDefinition<JsonNode, CommandResult> any() {
        return JobDefinition.of(KEY, JsonNode.class, CommandResult.class)
                .paramsSchema(PARAMS)
                .isolation(process())
                .handler(new CommandHandler(Commands::command, Set.of()));
    }

    private static Command command(JsonNode params) {
        List<String> argv = new ArrayList<>();
        params.get("argv").forEach(word -> argv.add(word.textValue()));
        Map<String, String> env = new TreeMap<>();
        JsonNode given = params.get("env");
        if (given != null) {
            given.properties()
                    .forEach(entry -> env.put(entry.getKey(), entry.getValue().textValue()));
        }
        JsonNode seconds = params.get("timeoutSeconds");
        return new Command(
                argv,
                env,
                text(params, "dir"),
                text(params, "stdin"),
                seconds == null ? null : Duration.ofSeconds(seconds.longValue()));
    }

    private static @Nullable String text(JsonNode params, String name) {
        JsonNode value = params.get(name);
        return value == null ? null : value.textValue();
    }
}
