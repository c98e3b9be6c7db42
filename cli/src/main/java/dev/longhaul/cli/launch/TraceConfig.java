package dev.longhaul.cli.launch;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Where spans go.
 *
 * @param endpoint null for nowhere
 * @param ratio how many of the traces that begin here are sent, 0 to 1
 */
record TraceConfig(@Nullable URI endpoint, double ratio) {
    static final TraceConfig OFF = new TraceConfig(null, 1);
}
