/**
 * Completion in shells. {@link dev.longhaul.cli.client.completion.Completion} prints the script of a shell, which calls
 * {@link dev.longhaul.cli.client.completion.Candidates} for the words to offer.
 */
@NullMarked
package dev.longhaul.cli.client.completion;

import org.jspecify.annotations.NullMarked;
