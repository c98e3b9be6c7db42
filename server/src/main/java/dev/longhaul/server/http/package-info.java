/** HTTP requests and answers: routes, bodies, fields, problems. */
@NullMarked
package dev.longhaul.server.http;

import org.jspecify.annotations.NullMarked;
