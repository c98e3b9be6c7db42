package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Asks jobs to end. */
@Command(
        name = "cancel",
        description = "Cancels jobs: those that wait end at once, those that run are told to.",
        mixinStandardHelpOptions = true)
final class Cancel implements Callable<Integer> {
    private final Screen screen;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "ID", arity = "1..*", description = "The jobs.")
    private List<String> ids = List.of();

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why; kept with the job.")
    private @Nullable String reason;

    @Option(
            names = "--grace",
            paramLabel = "SPAN",
            converter = Span.class,
            description = "How long running code may take to end by itself.")
    private @Nullable Duration grace;

    Cancel(Screen screen) {
        this.screen = screen;
    }

    @Override
    public Integer call() throws Exception {
        Api api = server.api();
        ObjectNode body = Api.JSON.createObjectNode();
        if (reason != null) {
            body.put("reason", reason);
        }
        if (grace != null) {
            body.put("graceSeconds", grace.toSeconds());
        }
        String json = body.toString();
        return new EachJob(spec.commandLine(), screen, server.json())
                .apply(ids, id -> api.post("/v1/jobs/" + Api.segment(id) + "/cancel", json));
    }
}
