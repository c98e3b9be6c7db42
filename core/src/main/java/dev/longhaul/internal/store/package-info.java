/** What several stores share: writes in batches, changes to announce, refusals and audit details. */
@NullMarked
package dev.longhaul.internal.store;

import org.jspecify.annotations.NullMarked;
