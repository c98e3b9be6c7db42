/**
 * Java code in a process of its own. {@link dev.longhaul.process.child.ChildMain} runs there, finds the definition and calls its
 * handler; everything it has to say goes through a {@link dev.longhaul.process.child.Wire} to the worker.
 */
@NullMarked
package dev.longhaul.process.child;

import org.jspecify.annotations.NullMarked;
