/** HTTP requests and answers: routes, callers, bodies, fields, problems. Knows nothing else of the server. */
@NullMarked
package dev.longhaul.server.http;

import org.jspecify.annotations.NullMarked;
