/**
 * What users of the library write: definitions, handlers and the options of a job. Start at {@link
 * dev.longhaul.JobDefinition}; {@link dev.longhaul.JobContext} is what running code sees.
 */
@NullMarked
package dev.longhaul;

import org.jspecify.annotations.NullMarked;
