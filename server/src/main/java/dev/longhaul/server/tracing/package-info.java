/**
 * Spans for OpenTelemetry. Start with {@link dev.longhaul.server.tracing.Tracing}. A job carries the trace that it was asked for in; its
 * runs and its webhooks go on with that, in whatever process they happen.
 */
@NullMarked
package dev.longhaul.server.tracing;

import org.jspecify.annotations.NullMarked;
