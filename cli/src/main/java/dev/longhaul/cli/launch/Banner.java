package dev.longhaul.cli.launch;

import dev.longhaul.server.ServerConfig;
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

    static String ready(@Nullable String url, Duration taken) {
        String where = url == null ? "" : " at " + url;
        return String.format(Locale.ROOT, "longhaul: ready%s after %.1f s", where, taken.toMillis() / 1e3);
    }

    /** Every line can be pasted into another terminal as it is. */
    static String dev(String url, Path data) {
        return """

                  Start a job:
                    curl -s URL/v1/jobs -H 'Content-Type: application/json' -d '{"definitionKey": "demo.count", "params": {"to": 20, "everyMillis": 500}}'

                  Watch what happens:
                    curl -sN -H 'Accept: text/event-stream' URL/v1/events

                  See all jobs:
                    curl -s URL/v1/jobs

                Data is kept in DATA; nobody has to log in. Ctrl-C stops, and lets running jobs end first.
                """.replace("URL", url)
                .replace("DATA", data.toAbsolutePath().normalize().toString());
    }
}
