/**
 * Serves the routes of {@code api} with Armeria: converts its requests to calls, and responses to its own. Does not
 * depend on other packages of the server.
 */
@NullMarked
package dev.longhaul.server.http;

import org.jspecify.annotations.NullMarked;
