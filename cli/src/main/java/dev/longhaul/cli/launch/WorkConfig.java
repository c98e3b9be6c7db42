package dev.longhaul.cli.launch;

import dev.longhaul.engine.WorkerConfig;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the worker and of retention.
 *
 * @param queues the queues to serve, each with its slot limit; if empty, {@code default} and the queues of the
 * definitions
 * @param retention how long jobs are kept after they have ended
 * @param processUser the user that jobs in processes run as; null means the user of this process
 * @param logFailures whether failed attempts are logged
 * @param pods the cluster in which pods run; null disables pods
 */
record WorkConfig(
        int slots,
        Map<String, Integer> queues,
        Duration lease,
        Duration cancelGrace,
        Duration drain,
        Duration retention,
        @Nullable String processUser,
        boolean logFailures,
        @Nullable PodsConfig pods) {
    static final WorkConfig DEFAULT = new WorkConfig(
            WorkerConfig.DEFAULT.slots(),
            Map.of(),
            WorkerConfig.DEFAULT.lease(),
            WorkerConfig.DEFAULT.cancelGrace(),
            WorkerConfig.DEFAULT.drain(),
            Duration.ofDays(7),
            null,
            WorkerConfig.DEFAULT.logFailures(),
            null);

    WorkConfig {
        queues = Map.copyOf(queues);
    }
}
