/** Export and import of all data. */
@NullMarked
package dev.longhaul.postgres.export;

import org.jspecify.annotations.NullMarked;
