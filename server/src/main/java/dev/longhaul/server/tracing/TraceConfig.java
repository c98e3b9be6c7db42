package dev.longhaul.server.tracing;

import java.net.URI;
import java.net.http.HttpRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where spans go.
 *
 * @param endpoint null for nowhere
 * @param headers sent along, such as what lets the collector know who sends
 * @param ratio how many of the traces that begin here are sent, 0 to 1
 */
public record TraceConfig(@Nullable URI endpoint, Map<String, String> headers, double ratio) {
    public static final TraceConfig OFF = new TraceConfig(null, 1);

    public TraceConfig {
        headers = Map.copyOf(headers);
        headers.forEach((name, value) -> {
            if (!canSend(name, value)) {
                throw new IllegalArgumentException(
                        "header: " + name + " (expected: one that HTTP allows a client to set)");
            }
        });
    }

    public static boolean canSend(String header, String value) {
        try {
            HttpRequest.newBuilder().header(header, value);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    public TraceConfig(@Nullable URI endpoint, double ratio) {
        this(endpoint, Map.of(), ratio);
    }

    /** Without the values of headers, and what of the URL may be as good as a password. */
    @Override
    public String toString() {
        return "TraceConfig[" + (endpoint == null ? "off" : endpoint.getHost()) + " " + headers.keySet() + " " + ratio
                + "]";
    }
}
