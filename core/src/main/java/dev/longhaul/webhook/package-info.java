/**
 * Webhooks: HTTP notifications about jobs. Start with {@link dev.longhaul.webhook.Webhook}, the subscription, and the
 * two ports: {@link dev.longhaul.webhook.WebhookStore} for people and code, {@link dev.longhaul.webhook.DeliveryQueue}
 * for the sender, which is part of the server. {@link dev.longhaul.webhook.EventSink} sends to topics instead of
 * endpoints.
 */
@NullMarked
package dev.longhaul.webhook;

import org.jspecify.annotations.NullMarked;
