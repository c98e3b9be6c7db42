/**
 * HTTP requests and responses: routes, callers, bodies, fields, errors. Does not depend on other packages of the
 * server.
 */
@NullMarked
package dev.longhaul.api.http;

import org.jspecify.annotations.NullMarked;
