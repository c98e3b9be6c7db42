/**
 * The commands about webhooks: {@link dev.longhaul.cli.client.webhook.WebhookCommands} is their table.
 */
@NullMarked
package dev.longhaul.cli.client.webhook;

import org.jspecify.annotations.NullMarked;
