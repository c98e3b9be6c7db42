package dev.longhaul.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.JobContext;
import dev.longhaul.JobHandler;
import java.util.function.Function;

/** The handler of a definition whose params contain the image and the command. It contains no code. */
public final class PodHandler implements JobHandler<JsonNode, JsonNode> {
    private final Function<JsonNode, PodCommand> command;

    public PodHandler(Function<JsonNode, PodCommand> command) {
        this.command = command;
    }

    PodCommand command(JsonNode params) {
        return command.apply(params);
    }

    @Override
    public JsonNode run(JsonNode params, JobContext context) {
        throw new UnsupportedOperationException("a pod requires isolation pod; it cannot run in a thread");
    }
}
