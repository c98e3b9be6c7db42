/** The health indicator of Longhaul, on the interfaces of Spring Boot 3. Everything else is in {@code longhaul-spring-common}. */
@NullMarked
package dev.longhaul.spring.boot3;

import org.jspecify.annotations.NullMarked;
