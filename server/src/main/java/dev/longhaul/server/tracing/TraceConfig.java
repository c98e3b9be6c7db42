package dev.longhaul.server.tracing;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Where spans go.
 *
 * @param endpoint null for nowhere
 * @param ratio how many of the traces that begin here are sent, 0 to 1
 */
public record TraceConfig(@Nullable URI endpoint, double ratio) {
    public static final TraceConfig OFF = new TraceConfig(null, 1);
}
