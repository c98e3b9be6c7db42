package dev.longhaul.process.supervise;

import dev.longhaul.Isolation;
import org.jspecify.annotations.Nullable;

/**
 * What the processes of a run may take together; null is as much as there is.
 *
 * @param memoryBytes RAM of all of them
 * @param cpus how many processors' time
 * @param processes how many there may be at once, threads included
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
