package dev.longhaul.process.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.JobContext;
import dev.longhaul.JobHandler;
import java.util.Set;
import java.util.function.Function;

/** The handler of a definition that runs a command. It holds no code; it builds the command from the job's params. */
public final class CommandHandler implements JobHandler<JsonNode, CommandResult> {
    private final Function<JsonNode, Command> command;
    private final Set<Integer> finalExitCodes;

    /**
     * Creates a handler.
     *
     * @param command builds the command from params that match the definition's schema
     * @param finalExitCodes exit codes that are not retried
     */
    public CommandHandler(Function<JsonNode, Command> command, Set<Integer> finalExitCodes) {
        this.command = command;
        this.finalExitCodes = Set.copyOf(finalExitCodes);
    }

    /** Returns the command of a job. */
    public Command command(JsonNode params) {
        return command.apply(params);
    }

    /** Returns whether a job that ends with this exit code is not retried. */
    public boolean isFinal(int exitCode) {
        return finalExitCodes.contains(exitCode);
    }

    @Override
    public CommandResult run(JsonNode params, JobContext context) {
        throw new UnsupportedOperationException("a command requires isolation process; it cannot run in a thread");
    }
}
