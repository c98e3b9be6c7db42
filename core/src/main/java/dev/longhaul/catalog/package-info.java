/**
 * What a cluster knows of its definitions and its workers, whoever runs them. Start with {@link dev.longhaul.catalog.Catalog};
 * every store has one. Nothing here knows the code of a job.
 */
@NullMarked
package dev.longhaul.catalog;

import org.jspecify.annotations.NullMarked;
