/**
 * The dashboard and the REST API inside a Spring application, on its port. Start with {@link dev.longhaul.spring.web.WebApi}:
 * it decides who calls and which route serves a request; {@code mvc} and {@code webflux} read requests and write responses.
 */
@NullMarked
package dev.longhaul.spring.web;

import org.jspecify.annotations.NullMarked;
