/**
 * The HTTP API without a web framework: start with {@link dev.longhaul.api.ApiRoutes}, which lists the routes. A route
 * turns a {@link dev.longhaul.api.http.Call} into a {@link dev.longhaul.api.http.Response}. The module {@code server}
 * serves the routes with Armeria; {@code spring-common} serves them inside an application. Does not depend on a web
 * framework or JDBC.
 */
@NullMarked
package dev.longhaul.api;

import org.jspecify.annotations.NullMarked;
