/**
 * Ending whole trees of processes, also after the worker that began them is gone. Start at {@link
 * dev.longhaul.process.sitter.SitterMain}. It runs in a process of its own, so nothing here may need a library or anything else
 * of Longhaul's.
 */
@NullMarked
package dev.longhaul.process.sitter;

import org.jspecify.annotations.NullMarked;
