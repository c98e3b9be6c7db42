/** What webhooks promise. */
@NullMarked
package dev.longhaul.contract.webhook;

import org.jspecify.annotations.NullMarked;
