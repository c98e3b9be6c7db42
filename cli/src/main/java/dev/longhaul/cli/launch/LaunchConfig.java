package dev.longhaul.cli.launch;

import dev.longhaul.server.ServerConfig;
import dev.longhaul.server.tracing.TraceConfig;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the process to start: a record for each of its parts.
 *
 * @param metrics where metrics are served without a key; null if nowhere
 */
record LaunchConfig(
        Set<ProcessRole> roles,
        StoreConfig store,
        ServerConfig doors,
        Access access,
        WorkConfig work,
        JobsConfig jobs,
        TraceConfig traces,
        @Nullable MetricsConfig metrics) {
    /**
     * What callers must send: a key, or the local token.
     *
     * @param adminKeyFile a file with the secret of the first admin key
     * @param tokenDirectory where the local token is kept; null if none is needed
     */
    record Access(@Nullable Path adminKeyFile, @Nullable Path tokenDirectory) {}

    LaunchConfig {
        roles = Set.copyOf(roles);
    }

    boolean plays(ProcessRole role) {
        return roles.contains(role);
    }

    LaunchConfig withPort(int port) {
        return new LaunchConfig(roles, store, doors.withPort(port), access, work, jobs, traces, metrics);
    }
}
