/**
 * The routes of {@code api} on Armeria: turns its requests into calls and responses into its own. Depends on no other package
 * of the server.
 */
@NullMarked
package dev.longhaul.server.http;

import org.jspecify.annotations.NullMarked;
