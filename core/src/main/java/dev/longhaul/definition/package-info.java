/**
 * What a job does: its code, its types, its defaults. Start at {@link dev.longhaul.definition.JobDefinition}; {@link
 * dev.longhaul.definition.JobContext} is what running code sees. Only this package knows JSON libraries.
 */
@NullMarked
package dev.longhaul.definition;

import org.jspecify.annotations.NullMarked;
