package dev.longhaul.cli.launch;

import dev.longhaul.server.ServerConfig;
import dev.longhaul.server.tracing.TraceConfig;
import java.util.Set;

/** What to start: a record for each of its parts. */
record LaunchConfig(
        Set<ProcessRole> roles,
        StoreConfig store,
        ServerConfig doors,
        AccessConfig access,
        WorkConfig work,
        JobsConfig jobs,
        TraceConfig traces) {
    LaunchConfig {
        roles = Set.copyOf(roles);
    }

    boolean plays(ProcessRole role) {
        return roles.contains(role);
    }

    LaunchConfig withPort(int port) {
        return new LaunchConfig(roles, store, doors.withPort(port), access, work, jobs, traces);
    }
}
