package dev.longhaul.process.supervise;

import dev.longhaul.Isolation;
import org.jspecify.annotations.Nullable;

/**
 * Resource limits of all processes of a run together; null means unlimited.
 *
 * @param memoryBytes maximum RAM in bytes
 * @param cpus number of processors
 * @param processes number of concurrent processes, threads included
 */
public record ProcessLimits(
        @Nullable Long memoryBytes,
        @Nullable Double cpus,
        @Nullable Integer processes) {
    public static final ProcessLimits NONE = new ProcessLimits(null, null, null);

    public static ProcessLimits of(Isolation.InProcess isolation) {
        return new ProcessLimits(isolation.memoryBytes(), isolation.cpus(), isolation.processes());
    }
}
