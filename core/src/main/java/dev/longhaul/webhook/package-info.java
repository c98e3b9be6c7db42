/**
 * Telling others over HTTP what happens to jobs. Start with {@link dev.longhaul.webhook.Webhook}, which says who wants to hear of
 * what, and {@link dev.longhaul.webhook.WebhookStore}, which keeps that and all that is to be sent. How it is sent is the server's
 * business.
 */
@NullMarked
package dev.longhaul.webhook;

import org.jspecify.annotations.NullMarked;
