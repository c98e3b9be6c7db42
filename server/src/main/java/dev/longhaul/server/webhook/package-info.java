/**
 * Sends what webhooks are to be told. Start with {@link dev.longhaul.server.webhook.WebhookSender}; where it may connect to is
 * decided in {@link dev.longhaul.server.outbound.Destination} and nowhere else.
 */
@NullMarked
package dev.longhaul.server.webhook;

import org.jspecify.annotations.NullMarked;
