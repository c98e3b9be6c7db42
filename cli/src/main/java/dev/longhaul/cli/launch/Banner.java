package dev.longhaul.cli.launch;

import dev.longhaul.server.ServerConfig;
import dev.longhaul.server.access.LocalToken;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats the messages that a process prints when it is ready. */
final class Banner {
    /** The system property that contains the path of the launcher script as the user typed it. The launcher sets it. */
    private static final String COMMAND = "longhaul.command";

    private Banner() {}

    static String url(ServerConfig server, int port) {
        if (server.callers().publicUrl() != null) {
            return server.callers().publicUrl().toString();
        }
        String host = server.listen().host().contains(":")
                ? "[" + server.listen().host() + "]"
                : server.listen().host();
        return (server.listen().tls() == null ? "http://" : "https://") + host + ":" + port;
    }

    /** @param token added to the URL, so that the browser that opens it is logged in; null if no token is required */
    static String ready(@Nullable String url, @Nullable LocalToken token, Duration taken) {
        String page = token == null ? "" : "/?token=" + token.secret();
        String where = url == null ? "" : " at " + url + page;
        return String.format(Locale.ROOT, "longhaul: ready%s after %.1f s", where, taken.toMillis() / 1e3);
    }

    /**
     * Suggests first commands that can be pasted into another terminal in this directory.
     *
     * @param commands whether jobs may run any program
     */
    static String dev(String url, @Nullable LocalToken token, Path data, boolean commands) {
        String header = token == null
                ? "-H \"Authorization: Bearer $LONGHAUL_KEY\""
                : "-H " + word("@" + shortest(token.headerFile()));
        return """

                  Dashboard   %s/%s
                  API docs    %s/docs
                  Run a job   %s submit demo.count --follow
                  With curl   curl -s %s %s/v1/jobs -H 'Content-Type: application/json' -d '{"definitionKey": "demo.count", "params": {"to": 20}}'

                Data is kept in %s. Ctrl-C stops the server after its running jobs have ended.
                %s
                """.formatted(
                        url,
                        token == null ? "" : "?token=" + token.secret(),
                        url,
                        word(System.getProperty(COMMAND, "longhaul")),
                        header,
                        url,
                        data.toAbsolutePath().normalize(),
                        access(token) + (commands ? "\n" + warning(token) : ""));
    }

    private static String access(@Nullable LocalToken token) {
        return token == null
                ? "API keys exist, so every caller needs one."
                : "Callers need the token, which only you can read. The longhaul command finds the server and the token by itself.";
    }

    private static String warning(@Nullable LocalToken token) {
        return "WARNING: a caller with "
                + (token == null ? "an API key" : "the token")
                + " can run any program as you (" + System.getProperty("user.name", "this user")
                + "), with the definition command. Do not share it.";
    }

    /** Returns the path relative to the current directory if the file is below it; otherwise unchanged. */
    private static Path shortest(Path file) {
        Path here = Path.of("").toAbsolutePath();
        return file.startsWith(here) ? here.relativize(file) : file;
    }

    private static String word(String text) {
        return text.matches("[A-Za-z0-9@%+=:,./_-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
