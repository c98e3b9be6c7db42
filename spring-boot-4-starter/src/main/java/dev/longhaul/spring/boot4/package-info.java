/** The health indicator of Longhaul, on the interfaces of Spring Boot 4. Everything else is in {@code longhaul-spring-common}. */
@NullMarked
package dev.longhaul.spring.boot4;

import org.jspecify.annotations.NullMarked;
