package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.error.LonghaulException;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/** Does the same to several jobs. One that is refused is told of and does not keep the others from being done. */
final class EachJob {
    private final CommandLine command;
    private final Screen screen;
    private final boolean json;

    EachJob(CommandLine command, Screen screen, boolean json) {
        this.command = command;
        this.screen = screen;
        this.json = json;
    }

    /** Answers 0, or the exit code of the first that went wrong. */
    int apply(List<String> ids, Function<String, Api.Reply> step) throws Exception {
        int exitCode = ExitCode.OK;
        for (String id : ids) {
            try {
                Api.Reply reply = step.apply(id);
                JsonNode job = reply.json();
                screen.out()
                        .println(
                                json
                                        ? reply.body()
                                        : job.path("jobId").asText() + " "
                                                + job.path("status").asText());
            } catch (LonghaulException e) {
                int refused = command.getExecutionExceptionHandler()
                        .handleExecutionException(e, command, command.getParseResult());
                exitCode = exitCode == ExitCode.OK ? refused : exitCode;
            }
        }
        screen.out().flush();
        return exitCode;
    }
}
