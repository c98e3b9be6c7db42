package dev.longhaul.cli.client;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lets held jobs go. */
@Command(
        name = "release",
        description = "Lets jobs go that were submitted with --hold.",
        mixinStandardHelpOptions = true)
final class Release implements Callable<Integer> {
    private final Screen screen;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "ID", arity = "1..*", description = "The jobs.")
    private List<String> ids = List.of();

    Release(Screen screen) {
        this.screen = screen;
    }

    @Override
    public Integer call() throws Exception {
        Api api = server.api();
        return new EachJob(spec.commandLine(), screen, server.json())
                .apply(ids, id -> api.post("/v1/jobs/" + Api.segment(id) + "/release", null));
    }
}
