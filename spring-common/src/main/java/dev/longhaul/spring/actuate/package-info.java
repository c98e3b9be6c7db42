/**
 * Health, metrics, traces and the endpoint {@code /actuator/longhaul}, each configured only where its library is present. The
 * health indicator is in the starters, because its interface moved between Spring Boot 3 and 4.
 */
@NullMarked
package dev.longhaul.spring.actuate;

import org.jspecify.annotations.NullMarked;
