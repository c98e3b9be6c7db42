/** The routes of the REST API, grouped by resource. */
@NullMarked
package dev.longhaul.api.rest;

import org.jspecify.annotations.NullMarked;
