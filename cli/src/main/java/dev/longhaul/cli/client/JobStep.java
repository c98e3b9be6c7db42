package dev.longhaul.cli.client;

import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A command that takes the same step with each of some jobs. */
abstract class JobStep implements Callable<Integer> {
    private final Screen screen;
    private final String step;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "ID", arity = "1..*", description = "The jobs.")
    private List<String> ids = List.of();

    /**
     * Makes it.
     *
     * @param step the last part of the path that the server knows it by
     */
    JobStep(Screen screen, String step) {
        this.screen = screen;
        this.step = step;
    }

    /** What is sent with it. */
    @Nullable
    String body() {
        return null;
    }

    @Override
    public Integer call() throws Exception {
        Api api = server.api();
        String body = body();
        return new EachJob(spec.commandLine(), screen, server.json())
                .apply(ids, id -> api.post("/v1/jobs/" + Api.segment(id) + "/" + step, body));
    }
}
