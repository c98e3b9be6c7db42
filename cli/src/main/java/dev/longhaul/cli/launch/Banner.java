package dev.longhaul.cli.launch;

import dev.longhaul.server.ServerConfig;
import dev.longhaul.server.access.LocalToken;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What the terminal says when the process is ready. */
final class Banner {
    private Banner() {}

    static String url(ServerConfig doors, int port) {
        if (doors.callers().publicUrl() != null) {
            return doors.callers().publicUrl().toString();
        }
        String host = doors.listen().host().contains(":")
                ? "[" + doors.listen().host() + "]"
                : doors.listen().host();
        return (doors.listen().tls() == null ? "http://" : "https://") + host + ":" + port;
    }

    /** @param token goes into the URL, so that a browser that opens it is logged in */
    static String ready(@Nullable String url, @Nullable LocalToken token, Duration taken) {
        String page = token == null ? "" : "/?token=" + token.secret();
        String where = url == null ? "" : " at " + url + page;
        return String.format(Locale.ROOT, "longhaul: ready%s after %.1f s", where, taken.toMillis() / 1e3);
    }

    /** Every line can be pasted into another terminal as it is. */
    static String dev(String url, @Nullable LocalToken token, Path data) {
        String header = token == null
                ? " -H \"Authorization: Bearer $LONGHAUL_KEY\""
                : " -H " + word("@" + shortest(token.headerFile()));
        return """

                  Start a job:
                    curl -sAUTH URL/v1/jobs -H 'Content-Type: application/json' -d '{"definitionKey": "demo.count", "params": {"to": 20, "everyMillis": 500}}'

                  Watch what happens:
                    curl -sNAUTH -H 'Accept: text/event-stream' URL/v1/events

                  See all jobs:
                    curl -sAUTH URL/v1/jobs

                Data is kept in DATA. Ctrl-C stops, and lets running jobs end first.
                LOGIN
                """.replace("AUTH", header)
                .replace("URL", url)
                .replace("LOGIN", login(token))
                .replace("DATA", data.toAbsolutePath().normalize().toString());
    }

    private static String login(@Nullable LocalToken token) {
        return token == null
                ? "API keys exist, so callers need one."
                : "Other users of this machine cannot call it: the URL above and the header file hold its token. The longhaul"
                        + " command finds it by itself.";
    }

    /** As short as a shell in this directory can name it. */
    private static Path shortest(Path file) {
        Path here = Path.of("").toAbsolutePath();
        return file.startsWith(here) ? here.relativize(file) : file;
    }

    private static String word(String text) {
        return text.matches("[A-Za-z0-9@%+=:,./_-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
