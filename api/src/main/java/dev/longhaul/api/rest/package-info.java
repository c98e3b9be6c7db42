/** The REST API, by resource. */
@NullMarked
package dev.longhaul.api.rest;

import org.jspecify.annotations.NullMarked;
