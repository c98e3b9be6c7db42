/** HTTP requests and responses: routes, callers, bodies, fields, problems. Depends on no other package of the server. */
@NullMarked
package dev.longhaul.api.http;

import org.jspecify.annotations.NullMarked;
