/** Longhaul's side of the guide to migration; the other side is in the test sources. Nothing depends on it. */
@NullMarked
package dev.longhaul.examples.migrating;

import org.jspecify.annotations.NullMarked;
