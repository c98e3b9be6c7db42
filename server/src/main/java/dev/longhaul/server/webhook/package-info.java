/**
 * Sends webhook deliveries. Start with {@link dev.longhaul.server.webhook.WebhookSender}.
 * {@link dev.longhaul.server.outbound.Destination} decides which addresses it may connect to.
 */
@NullMarked
package dev.longhaul.server.webhook;

import org.jspecify.annotations.NullMarked;
