/**
 * One class per example, each with a {@code main}. Start at {@link dev.longhaul.examples.QuickStart}. README.md and docs/ quote the regions
 * that comments mark; {@code ReadmeTest} compares them. Nothing depends on this.
 */
@NullMarked
package dev.longhaul.examples;

import org.jspecify.annotations.NullMarked;
