package dev.longhaul.server.tracing;

import java.net.URI;
import java.net.http.HttpRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The destination and the sampling of spans.
 *
 * @param endpoint URL of a collector for OTLP over HTTP; null turns tracing off
 * @param headers headers of every request to the collector, for example its credentials
 * @param ratio sampling ratio (0 to 1) for traces that start here; incoming sampling decisions are kept
 */
public record TraceConfig(@Nullable URI endpoint, Map<String, String> headers, double ratio) {
    public static final TraceConfig OFF = new TraceConfig(null, 1);

    public TraceConfig {
        headers = Map.copyOf(headers);
        headers.forEach((name, value) -> {
            if (!canSend(name, value)) {
                throw new IllegalArgumentException(
                        "header: " + name + " (expected: a header that an HTTP client may set)");
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

    /** Omits header values and the path and query of the URL, which may contain credentials. */
    @Override
    public String toString() {
        return "TraceConfig[" + (endpoint == null ? "off" : endpoint.getHost()) + " " + headers.keySet() + " " + ratio
                + "]";
    }
}
