package dev.longhaul.cli.client;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Makes jobs due that wait for their time. */
@Command(name = "run-now", description = "Makes scheduled or retrying jobs due now.", mixinStandardHelpOptions = true)
final class RunNow implements Callable<Integer> {
    private final Screen screen;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "ID", arity = "1..*", description = "The jobs.")
    private List<String> ids = List.of();

    RunNow(Screen screen) {
        this.screen = screen;
    }

    @Override
    public Integer call() throws Exception {
        Api api = server.api();
        return new EachJob(spec.commandLine(), screen, server.json())
                .apply(ids, id -> api.post("/v1/jobs/" + Api.segment(id) + "/runNow", null));
    }
}
