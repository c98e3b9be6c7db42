package dev.longhaul.cli.client.job;

import static dev.longhaul.cli.client.Argument.labels;
import static dev.longhaul.cli.client.Argument.number;
import static dev.longhaul.cli.client.Argument.text;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.longhaul.cli.client.Argument;
import dev.longhaul.cli.client.ServerOptions;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Arguments of a job, also used for the jobs of a schedule. */
public final class JobArguments {
    public static final Argument<String> PARAMS = text("--params", "JSON", ParamsText.FORMS)
            .puts((job, given) -> job.putRawValue("params", new RawValue(ParamsText.read(given))));
    public static final Argument<String> NAME =
            text("--name", "TEXT", "Display name.").field("name");
    public static final Argument<String> QUEUE =
            text("--queue", "QUEUE", "Queue. Default: the definition's queue.").field("queue");
    public static final Argument<Integer> PRIORITY = number(
                    "--priority", "N", "Priority, -1000 to 1000; higher runs first.")
            .field("priority");
    public static final Argument<Map<String, @Nullable String>> LABELS =
            labels("--label", "Label; repeatable.").field("labels");

    private JobArguments() {}

    /** Adds the definition, given as {@code key} or {@code key@2}. */
    public static void putDefinition(ObjectNode job, String definition) {
        int at = definition.lastIndexOf('@');
        job.put("definitionKey", at < 0 ? definition : definition.substring(0, at));
        if (at >= 0) {
            job.put("definitionVersion", version(definition.substring(at + 1)));
        }
    }

    /** Sets the params of a job of the definition {@code command}. */
    public static void putProgram(ObjectNode job, List<String> program) {
        if (!job.path("definitionKey").asText().equals("command")) {
            throw ServerOptions.bad(
                    "ARGUMENT", program.get(0), "only for the definition command; others take --params JSON");
        }
        ArrayNode arguments = job.putObject("params").putArray("argv");
        program.forEach(arguments::add);
    }

    private static int version(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw ServerOptions.bad("definition", "@" + text, "key@version, such as demo.echo@1");
        }
    }
}
