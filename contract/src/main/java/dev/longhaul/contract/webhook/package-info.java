/** The contract of webhooks. */
@NullMarked
package dev.longhaul.contract.webhook;

import org.jspecify.annotations.NullMarked;
