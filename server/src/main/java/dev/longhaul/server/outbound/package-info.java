/**
 * Requests to addresses that users name: {@link dev.longhaul.server.outbound.Destination} decides which may be reached, for webhooks and
 * for the definition {@code http} ({@link dev.longhaul.server.outbound.HttpJob}).
 */
@org.jspecify.annotations.NullMarked
package dev.longhaul.server.outbound;
