/** The REST API, by resource. */
@NullMarked
package dev.longhaul.server.rest;

import org.jspecify.annotations.NullMarked;
