/** Code that the guide to Spring Boot quotes, besides the shop in {@code examples/spring-boot}. Nothing depends on it. */
@NullMarked
package dev.longhaul.examples.spring;

import org.jspecify.annotations.NullMarked;
