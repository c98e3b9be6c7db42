/**
 * One class per example, each with a {@code main}. Start at {@link dev.longhaul.examples.QuickStart}. The README quotes the regions that
 * comments mark; {@code ReadmeTest} keeps both alike. Nothing depends on this.
 */
@NullMarked
package dev.longhaul.examples;

import org.jspecify.annotations.NullMarked;
