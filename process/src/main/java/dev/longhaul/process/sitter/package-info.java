/**
 * Kills whole process trees, also after the worker that started them has died. Start at {@link
 * dev.longhaul.process.sitter.SitterMain}. It runs in its own process with only this package's classes, so nothing here may
 * depend on a library or on other packages of Longhaul.
 */
@NullMarked
package dev.longhaul.process.sitter;

import org.jspecify.annotations.NullMarked;
