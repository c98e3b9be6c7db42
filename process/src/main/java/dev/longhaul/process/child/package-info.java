/**
 * The child's side of Java code in its own process. {@link dev.longhaul.process.child.ChildMain} finds the definition
 * and calls its handler; it sends all messages to the worker through a {@link dev.longhaul.process.child.Wire}.
 */
@NullMarked
package dev.longhaul.process.child;

import org.jspecify.annotations.NullMarked;
