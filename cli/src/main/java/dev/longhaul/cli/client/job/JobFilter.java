package dev.longhaul.cli.client.job;

import static dev.longhaul.cli.client.Argument.labels;
import static dev.longhaul.cli.client.Argument.text;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.cli.client.Argument;
import dev.longhaul.cli.client.Call;
import dev.longhaul.cli.client.DurationOption;
import dev.longhaul.cli.client.ServerOptions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.TypeConversionException;

/** Options that select jobs, for lists and for changes of many jobs. */
final class JobFilter {
    static final List<Argument<?>> OPTIONS = List.of(
            text("--status", "STATUS", "Filter by status; several separated by commas.")
                    .field("status"),
            text("--definition", "DEFINITION", "Filter by definition, any version.")
                    .field("definitionKey"),
            text("--queue", "QUEUE", "Filter by queue.").field("queue"),
            text("--name", "PREFIX", "Filter by name prefix.").field("name"),
            labels("--label", "Filter by label; repeatable.").field("label"),
            text("--correlation-id", "ID", "Filter by correlation id.").field("correlationId"),
            time("--created-after", "createdAfter", "Created after a time, or 2h for two hours ago."),
            time("--created-before", "createdBefore", "Created before a time, or 2h for two hours ago."),
            time("--finished-after", "finishedAfter", "Finished after a time, or 2h for two hours ago."),
            time("--finished-before", "finishedBefore", "Finished before a time, or 2h for two hours ago."));

    /** The options by the fields that they set. */
    private static final Map<String, String> OPTION_OF = Map.of(
            "status", "--status",
            "definitionKey", "--definition",
            "queue", "--queue",
            "name", "--name",
            "label", "--label",
            "correlationId", "--correlation-id",
            "createdAfter", "--created-after",
            "createdBefore", "--created-before",
            "finishedAfter", "--finished-after",
            "finishedBefore", "--finished-before");

    private JobFilter() {}

    static boolean isGiven(Call call) {
        return !query(call).isEmpty();
    }

    /**
     * Returns the given filter options as query parameters. Rejects a blank value, which may come from an unset shell
     * variable.
     */
    static ObjectNode query(Call call) {
        ObjectNode query = call.request().retain(OPTION_OF.keySet());
        query.properties().forEach(field -> {
            if (field.getValue().isTextual() && field.getValue().textValue().isBlank()) {
                String option = String.valueOf(OPTION_OF.get(field.getKey()));
                throw ServerOptions.bad(option, "empty", "a value, or no " + option);
            }
        });
        return query;
    }

    /** Converts query parameters of a filter to the body of a request. */
    static ObjectNode body(ObjectNode query) {
        ObjectNode body = query.deepCopy();
        if (body.has("label")) {
            body.set("labels", body.remove("label"));
        }
        return body;
    }

    /** Creates an option for a time, or for a duration before now. */
    private static Argument<String> time(String option, String field, String description) {
        return text(option, "TIME", description).puts((query, text) -> query.put(field, timeOf(text)));
    }

    private static String timeOf(String text) {
        try {
            return Instant.now().minus(new DurationOption().convert(text)).toString();
        } catch (TypeConversionException e) {
            return text; // a time, which the server checks
        }
    }
}
