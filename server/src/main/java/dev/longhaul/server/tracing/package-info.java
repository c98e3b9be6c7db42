/**
 * Spans of requests and webhooks, and their export. Start with {@link dev.longhaul.server.tracing.Tracing}; spans of runs are in
 * {@link dev.longhaul.observe.OpenTelemetryTracing}.
 */
@NullMarked
package dev.longhaul.server.tracing;

import org.jspecify.annotations.NullMarked;
