/** Routes that only this server has: keys and sessions, metrics, health, the log level. The others are in {@code api}. */
@NullMarked
package dev.longhaul.server.rest;

import org.jspecify.annotations.NullMarked;
