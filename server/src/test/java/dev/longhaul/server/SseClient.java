package dev.longhaul.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads server-sent events like a browser, line by line, over a real connection. */
public final class SseClient implements AutoCloseable {
    /** HTTP/1.1, because only there the JDK's client closes the connection as soon as a stream is closed. */
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final HttpResponse<InputStream> response;
    private final BufferedReader lines;
    private final List<String> comments = new ArrayList<>();
    private @Nullable String retry;
    private int linesLeft = Integer.MAX_VALUE;

    /** An event; its id is empty when it has none. */
    public record Event(String id, String type, String data) {
        public int position() {
            return Integer.parseInt(id);
        }

        public JsonNode json() {
            try {
                return Api.JSON.readTree(data);
            } catch (IOException e) {
                throw new UncheckedIOException(data, e);
            }
        }
    }

    private SseClient(HttpResponse<InputStream> response) {
        this.response = response;
        this.lines = new BufferedReader(new InputStreamReader(response.body(), UTF_8));
    }

    /** Opens a stream; the headers come as name, value, name, value. */
    public static SseClient open(int port, String path, String... headers) {
        return open(CLIENT, port, path, headers);
    }

    public static SseClient open(HttpClient client, int port, String path, String... headers) {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Accept", "text/event-stream");
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return new SseClient(client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public HttpClient.Version version() {
        return response.version();
    }

    public int status() {
        return response.statusCode();
    }

    public String header(String name) {
        return response.headers().firstValue(name).orElse("");
    }

    /** The lines that begin with a colon. */
    List<String> comments() {
        return comments;
    }

    /** The server's last retry interval, in milliseconds. */
    public @Nullable String retry() {
        return retry;
    }

    /** Closes the connection after a number of lines, even within an event. */
    SseClient cutAfter(int lines) {
        linesLeft = lines;
        return this;
    }

    private @Nullable String line() throws IOException {
        if (linesLeft-- <= 0) {
            close();
            return null;
        }
        return lines.readLine();
    }

    /** Waits for the next event; null when the stream has ended. */
    public @Nullable Event next() throws IOException {
        String id = "";
        String type = "";
        var data = new ArrayList<String>();
        for (String line = line(); line != null; line = line()) {
            if (line.isEmpty()) {
                if (!data.isEmpty()) {
                    return new Event(id, type, String.join("\n", data));
                }
            } else if (line.startsWith(":")) {
                comments.add(line);
            } else {
                int colon = line.indexOf(": ");
                String value = line.substring(colon + 2);
                switch (line.substring(0, colon)) {
                    case "id" -> id = value;
                    case "event" -> type = value;
                    case "data" -> data.add(value);
                    case "retry" -> retry = value;
                    default -> throw new AssertionError("a line that no event has: " + line);
                }
            }
        }
        return null;
    }

    /** All events until the end of the stream. */
    public List<Event> rest() throws IOException {
        var events = new ArrayList<Event>();
        for (Event event = next(); event != null; event = next()) {
            events.add(event);
        }
        return events;
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
