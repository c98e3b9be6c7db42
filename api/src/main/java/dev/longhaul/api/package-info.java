/**
 * The HTTP API without a web framework: start with {@link dev.longhaul.api.ApiRoutes}, which lists the routes. A route turns a
 * {@link dev.longhaul.api.http.Call} into a {@link dev.longhaul.api.http.Response}; {@code server} serves them with Armeria,
 * {@code spring-common} inside an application. No web framework, no JDBC.
 */
@NullMarked
package dev.longhaul.api;

import org.jspecify.annotations.NullMarked;
