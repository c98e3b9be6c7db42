/** Webhooks and their deliveries. */
@NullMarked
package dev.longhaul.postgres.webhook;

import org.jspecify.annotations.NullMarked;
