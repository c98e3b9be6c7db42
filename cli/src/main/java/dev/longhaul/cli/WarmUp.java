package dev.longhaul.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.longhaul.cli.client.Screen;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;

/**
 * Runs client commands against a server in this process, so that the launcher's class archive contains the classes that
 * they load.
 */
@Command(
        name = "warm-up",
        hidden = true,
        description = "Loads the classes of client commands, for the launcher's archive.")
final class WarmUp implements Callable<Integer> {
    private static final String RESPONSE = """
        {"jobs": [{"jobId": "a", "status": "failed", "definitionKey": "b", "definitionVersion": 1, "queue": "c",
         "createdAt": "2026-01-01T00:00:00Z", "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:00.5Z",
         "progress": {"percent": 1.5}, "error": {"code": "exception", "message": "d"}}],
         "queues": [], "workers": [], "jobId": "a", "status": "queued", "reasons": [{"code": "soon", "message": "e"}]}
        """;

    private static final List<List<String>> COMMANDS = List.of(
            List.of("list", "--status=failed", "--label=a=b"),
            List.of("get", "a"),
            List.of("submit", "b", "--params={}", "--delay=1m"),
            List.of("queues"),
            List.of("workers"),
            List.of("cancel", "a"),
            List.of("logs", "a"),
            List.of("schedules", "list"),
            List.of("complete", "--", "list", "--status", "f"),
            List.of("list", "--help"));

    @Override
    public Integer call() throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", WarmUp::respond);
        server.start();
        try {
            String url = "http://127.0.0.1:" + server.getAddress().getPort();
            var nowhere = new PrintWriter(Writer.nullWriter());
            for (Screen screen :
                    List.of(Screen.plain(nowhere, nowhere), new Screen(nowhere, nowhere, 80, 24, true, true, null))) {
                for (List<String> command : COMMANDS) {
                    if (run(screen, command, url) != ExitCode.OK) {
                        return ExitCode.SOFTWARE;
                    }
                }
                run(screen, List.of("lits"), url); // suggestions
            }
        } finally {
            server.stop(0);
        }
        return ExitCode.OK;
    }

    private static int run(Screen screen, List<String> command, String url) {
        boolean calls = !command.contains("--") && !command.contains("--help");
        var arguments = new ArrayList<>(command);
        if (calls) {
            arguments.add("--url=" + url);
        }
        return Main.commandLine(screen, command.get(0)).execute(arguments.toArray(String[]::new));
    }

    private static void respond(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        byte[] body = RESPONSE.getBytes(UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
