/**
 * The definitions and workers of a cluster. Start with {@link dev.longhaul.catalog.Catalog}; every store has one. This
 * package does not depend on job code.
 */
@NullMarked
package dev.longhaul.catalog;

import org.jspecify.annotations.NullMarked;
