/** The dashboard and the REST API on Spring WebFlux: start with {@link dev.longhaul.spring.web.webflux.WebFluxHandler}. */
@NullMarked
package dev.longhaul.spring.web.webflux;

import org.jspecify.annotations.NullMarked;
