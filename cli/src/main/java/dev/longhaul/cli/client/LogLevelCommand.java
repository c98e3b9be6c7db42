package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** How much a server logs. */
@Command(
        name = "log-level",
        description = "Shows how much a server logs, or changes it until it ends.",
        mixinStandardHelpOptions = true)
final class LogLevelCommand implements Runnable {
    private static final String PATH = "/v1/log-level";

    private final Screen screen;

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(
            arity = "0..1",
            paramLabel = "LEVEL",
            description = "error, warn, info or debug; of your own code as in info,com.example=debug.")
    private @Nullable String level;

    LogLevelCommand(Screen screen) {
        this.screen = screen;
    }

    @Override
    public void run() {
        Api.Reply reply = level == null
                ? server.api().get(PATH)
                : server.api()
                        .put(
                                PATH,
                                JsonNodeFactory.instance
                                        .objectNode()
                                        .put("level", level)
                                        .toString());
        screen.out()
                .println(
                        server.json()
                                ? reply.body()
                                : reply.json().path("level").asText());
        screen.out().flush();
    }
}
