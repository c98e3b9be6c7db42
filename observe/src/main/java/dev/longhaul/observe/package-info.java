/**
 * Observes the engine with libraries of your choice. Start with {@link dev.longhaul.observe.OpenTelemetryTracing}. A job carries the trace
 * context of the request that created it; its runs continue that trace, in whichever process they happen. Nothing here depends on
 * the server.
 */
@NullMarked
package dev.longhaul.observe;

import org.jspecify.annotations.NullMarked;
