/**
 * The auto-configuration of Longhaul. Start with {@link dev.longhaul.spring.autoconfigure.LonghaulAutoConfiguration}. It must
 * not depend on classes that moved between Spring Boot 3 and 4; the starters contain what does.
 */
@NullMarked
package dev.longhaul.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
