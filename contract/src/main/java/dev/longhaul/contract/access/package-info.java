/** What keys, the audit trail and the catalog promise. */
@NullMarked
package dev.longhaul.contract.access;

import org.jspecify.annotations.NullMarked;
