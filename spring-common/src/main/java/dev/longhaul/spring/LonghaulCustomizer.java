package dev.longhaul.spring;

import dev.longhaul.LonghaulBuilder;

/** A bean that changes the settings of the application's Longhaul, after those of the {@code longhaul.*} properties. */
@FunctionalInterface
public interface LonghaulCustomizer {
    void customize(LonghaulBuilder builder);
}
