/**
 * Tests of Spring applications that use Longhaul: start with {@link dev.longhaul.spring.test.LonghaulTest}. Needs the artifact
 * {@code longhaul-testkit}; no other package depends on this one.
 */
@NullMarked
package dev.longhaul.spring.test;

import org.jspecify.annotations.NullMarked;
