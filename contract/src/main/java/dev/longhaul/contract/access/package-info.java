/** The contract of keys, the audit trail and the catalog. */
@NullMarked
package dev.longhaul.contract.access;

import org.jspecify.annotations.NullMarked;
