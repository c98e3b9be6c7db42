/**
 * Routes that only this server has: keys and sessions, metrics, health, the log level. All other routes are in the
 * module {@code api}.
 */
@NullMarked
package dev.longhaul.server.rest;

import org.jspecify.annotations.NullMarked;
