/**
 * Java code in a JVM of its own, the worker's side: {@link dev.longhaul.process.java.JavaExecutor} takes a JVM from the {@link
 * dev.longhaul.process.java.ChildPool}. What runs in that JVM is in {@code dev.longhaul.process.child}.
 */
@NullMarked
package dev.longhaul.process.java;

import org.jspecify.annotations.NullMarked;
