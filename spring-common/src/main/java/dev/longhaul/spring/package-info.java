/**
 * Longhaul in a Spring Boot application: the annotations and interfaces that application code uses. Start with
 * {@link dev.longhaul.spring.LonghaulJob}. The wiring is in {@code autoconfigure}. Nothing here depends on a version of
 * Spring Boot: the starters add what differs.
 */
@NullMarked
package dev.longhaul.spring;

import org.jspecify.annotations.NullMarked;
