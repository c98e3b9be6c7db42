/** The contract of API keys, the audit trail and the catalog. */
@NullMarked
package dev.longhaul.contract.access;

import org.jspecify.annotations.NullMarked;
