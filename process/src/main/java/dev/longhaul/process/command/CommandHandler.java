package dev.longhaul.process.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.JobContext;
import dev.longhaul.JobHandler;
import java.util.Set;
import java.util.function.Function;

/** The handler of a definition that runs a command: not code, but how to make the command from the job's params. */
public final class CommandHandler implements JobHandler<JsonNode, CommandResult> {
    private final Function<JsonNode, Command> command;
    private final Set<Integer> finalExitCodes;

    /**
     * Makes the handler.
     *
     * @param command makes the command from params that fit the definition's schema
     * @param finalExitCodes after which there is no use in trying again
     */
    public CommandHandler(Function<JsonNode, Command> command, Set<Integer> finalExitCodes) {
        this.command = command;
        this.finalExitCodes = Set.copyOf(finalExitCodes);
    }

    Command command(JsonNode params) {
        return command.apply(params);
    }

    boolean isFinal(int exitCode) {
        return finalExitCodes.contains(exitCode);
    }

    @Override
    public CommandResult run(JsonNode params, JobContext context) {
        throw new UnsupportedOperationException("a command runs in a process, never in a thread");
    }
}
