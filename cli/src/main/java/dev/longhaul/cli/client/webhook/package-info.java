/**
 * The commands for webhooks, listed in {@link dev.longhaul.cli.client.webhook.WebhookCommands}.
 */
@NullMarked
package dev.longhaul.cli.client.webhook;

import org.jspecify.annotations.NullMarked;
