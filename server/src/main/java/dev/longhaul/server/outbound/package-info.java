/**
 * Requests to URLs that users enter: {@link dev.longhaul.server.outbound.Destination} decides which URLs are allowed,
 * for webhooks and for the definition {@code http} ({@link dev.longhaul.server.outbound.HttpJob}).
 */
@org.jspecify.annotations.NullMarked
package dev.longhaul.server.outbound;
