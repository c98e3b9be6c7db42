package dev.longhaul.cli.launch;

import dev.longhaul.server.ServerConfig;
import dev.longhaul.server.tracing.TraceConfig;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the process to start, one record per part.
 *
 * @param metrics the address that serves metrics without a key; null serves them only with one
 * @param kafka the brokers; null without Kafka
 */
record LaunchConfig(
        Set<ProcessRole> roles,
        StoreConfig store,
        ServerConfig server,
        Access access,
        WorkConfig work,
        JobsConfig jobs,
        TraceConfig traces,
        MetricsPort.@Nullable Config metrics,
        @Nullable KafkaConfig kafka) {
    /**
     * The credentials that callers must send: an API key or the local token.
     *
     * @param adminKeyFile a file with the secret of the first admin key; null adds no key
     * @param tokenDirectory directory of the local token; null if no token is required
     */
    record Access(@Nullable Path adminKeyFile, @Nullable Path tokenDirectory) {}

    LaunchConfig {
        roles = Set.copyOf(roles);
    }

    boolean plays(ProcessRole role) {
        return roles.contains(role);
    }

    /** Returns the intake; null if it is disabled. */
    KafkaConfig.@Nullable Intake intake() {
        return kafka == null ? null : kafka.intake();
    }

    LaunchConfig withPort(int port) {
        return new LaunchConfig(roles, store, server.withPort(port), access, work, jobs, traces, metrics, kafka);
    }
}
