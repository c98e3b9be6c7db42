/**
 * The API for users of the library: definitions, handlers and the options of a job. Start at
 * {@link dev.longhaul.JobDefinition}; {@link dev.longhaul.JobContext} is the API of running code.
 */
@NullMarked
package dev.longhaul;

import org.jspecify.annotations.NullMarked;
