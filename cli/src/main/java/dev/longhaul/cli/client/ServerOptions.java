package dev.longhaul.cli.client;

import dev.longhaul.cli.secret.LocalServers;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of every command that calls a server: its URL, and the credentials to send. */
public final class ServerOptions {
    private static final String KEY_VARIABLE = "LONGHAUL_KEY";
    private static final int DEFAULT_PORT = 8080;

    @Option(
            names = "--url",
            paramLabel = "URL",
            defaultValue = "${env:LONGHAUL_URL}",
            description = "URL of the server. Default: LONGHAUL_URL, or your longhaul dev on this machine, or"
                    + " http://127.0.0.1:8080.")
    private @Nullable String url;

    @Option(
            names = "--key-file",
            paramLabel = "FILE",
            description =
                    "File with the API key. Default: LONGHAUL_KEY, or the local token of your server on this machine.")
    private @Nullable Path keyFile;

    @Option(
            names = "--ca-file",
            paramLabel = "FILE",
            defaultValue = "${env:LONGHAUL_CA_FILE}",
            description = "PEM file with certificates to trust. Default: LONGHAUL_CA_FILE, or those of Java.")
    private @Nullable Path caFile;

    @Option(names = "--json", description = "Print the server's JSON response; errors too, on standard error.")
    private boolean json;

    @Option(
            names = "--color",
            paramLabel = "WHEN",
            description = "Colours: auto (on a terminal, unless NO_COLOR is set), always or never.")
    private Screen.Colors color = Screen.Colors.auto;

    public boolean json() {
        return json;
    }

    /** Returns whether the command line or the environment names a server or a key. */
    boolean given() {
        return (url != null && !url.isBlank()) || keyFile != null || System.getenv(KEY_VARIABLE) != null;
    }

    Screen.Colors color() {
        return color;
    }

    public Api api() {
        URI base = base();
        String key = key();
        return new Api(
                base,
                key == null ? LocalServers.of(System.getenv()).token(base) : key,
                caFile == null ? null : TrustedFile.context(caFile));
    }

    private URI base() {
        if (url == null || url.isBlank()) {
            URI local = LocalServers.of(System.getenv()).url(DEFAULT_PORT);
            return local == null ? URI.create("http://127.0.0.1:" + DEFAULT_PORT) : local;
        }
        try {
            URI base = URI.create(url.endsWith("/") ? url.substring(0, url.length() - 1) : url);
            boolean http = "http".equals(base.getScheme()) || "https".equals(base.getScheme());
            if (http && base.getHost() != null && base.getUserInfo() == null && base.getQuery() == null) {
                return base;
            }
        } catch (IllegalArgumentException e) {
            // The URL is reported as invalid below.
        }
        throw bad("url", Screen.withoutControls(url), "http://host:port or https://host:port");
    }

    private @Nullable String key() {
        String key = keyFile == null ? System.getenv(KEY_VARIABLE) : read(keyFile);
        if (key == null || key.isBlank()) {
            return null;
        }
        String stripped = key.strip();
        if (!stripped.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw bad(
                    keyFile == null ? KEY_VARIABLE : "key-file",
                    "not shown",
                    "one API key without spaces or line breaks");
        }
        return stripped;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw bad("key-file", file.toString(), "a readable text file");
        }
    }

    public static LonghaulException bad(String field, String value, String expected) {
        return new LonghaulException(ErrorCode.INVALID_ARGUMENT, List.of(new FieldError(field, value, expected)));
    }
}
