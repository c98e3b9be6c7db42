/**
 * The worker's side of Java code in its own JVM: {@link dev.longhaul.process.java.JavaExecutor} takes a JVM from the {@link
 * dev.longhaul.process.java.ChildPool}. The code of that JVM is in {@code dev.longhaul.process.child}.
 */
@NullMarked
package dev.longhaul.process.java;

import org.jspecify.annotations.NullMarked;
