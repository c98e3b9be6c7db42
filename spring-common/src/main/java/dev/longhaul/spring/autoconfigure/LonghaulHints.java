package dev.longhaul.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** The resources that a native image must contain: SQL statements, migrations, the dashboard, the
 * description of the API, and the schemas of JSON Schema itself. */
final class LonghaulHints implements RuntimeHintsRegistrar {
    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources()
                .registerPattern("dev/longhaul/postgres/**")
                .registerPattern("dev/longhaul/dashboard/**")
                .registerPattern("dev/longhaul/api/**")
                .registerPattern("META-INF/resources/webjars/**")
                .registerPattern("META-INF/maven/org.webjars.npm/**")
                .registerPattern("draft/**")
                .registerPattern("jsv-messages*.properties");
    }
}
